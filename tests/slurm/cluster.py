"""A Slurm of one's own for a test: its own munge, controller and, if wanted, one machine, in a temporary folder.

Nothing of a Slurm that is configured on this machine is read, written or stopped: SLURM_CONF names another configuration,
and ports, keys, sockets and process ids are its own. Machines that are only asked for, never used, are declared as
powered-down cloud machines: `sbatch --test-only` takes those as they are declared, without a daemon for each.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "srun")
# GPUs need devices: 22.05 drops a gpu without File=. Any character device does, and nobody opens them here.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random")


def missing_programs():
    """What is not installed; "" when all is."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{', '.join(missing)} not found; install the Debian packages slurm-wlm and munge" if missing else ""


def reason_against():
    """Why no Slurm can be started on this machine; "" when it can."""
    if os.geteuid() != 0:
        return "no Slurm without root: its daemons start jobs as their owner"
    if not os.path.isdir("/sys/fs/cgroup") or not os.listdir("/sys/fs/cgroup"):
        return "no Slurm without control groups: nothing is mounted at /sys/fs/cgroup"
    return ""


@dataclass
class Machines:
    """Machines of one kind: names they begin with, how many, and what each has."""
    name: str
    count: int
    gpu: str  # Slurm's name
    gpus: int
    cpus: int
    memory_mib: int
    partition: str
    max_minutes: int = 0  # 0: no limit

    def node_line(self):
        names = self.name + (f"[1-{self.count}]" if self.count > 1 else "1")
        gres = f"Gres=gpu:{self.gpu + ':' if self.gpu else ''}{self.gpus} "
        return f"NodeName={names} CPUs={self.cpus} RealMemory={self.memory_mib} {gres}State=CLOUD"

    def partition_line(self):
        names = self.name + (f"[1-{self.count}]" if self.count > 1 else "1")
        limit = self.max_minutes or "INFINITE"
        return f"PartitionName={self.partition} Nodes={names} MaxTime={limit} State=UP"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


@dataclass
class Cluster:
    """`with Cluster(machines, real=2) as cluster:` `real`: machines of partition "gpu" with four GPUs each, whose daemons
    run here. Every one of them is this machine, but Slurm cannot tell."""
    machines: list = field(default_factory=list)
    real: int = 0
    folder: Path = None
    daemons: dict = field(default_factory=dict)

    def __enter__(self):
        # Unix sockets have short names, so the folder is not below the checkout.
        self.folder = Path(tempfile.mkdtemp(prefix="gpuplan-slurm-"))
        try:
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        for name in reversed(list(self.daemons)):  # munged, which the others need, is the last
            self.stop(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, **more):
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_", "GPUPLAN"))}
        return {**keep, "SLURM_CONF": str(self.folder / "slurm.conf"), **more}

    def run(self, *words, check=True, **more):
        """A command of Slurm; its stdout."""
        done = subprocess.run(words, env=self.environment(), capture_output=True, text=True, timeout=60, check=False, **more)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout if check else done

    def start(self):
        host = socket.gethostname().split(".")[0]
        controller, *workers = free_ports(1 + self.real)
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        at = self.folder
        self.daemon("munged", "--foreground", f"--key-file={key}", f"--socket={at}/munge.socket", "--force",
                    f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munged.seed")
        self.wait_for("munge's socket", lambda: (at / "munge.socket").is_socket(), "munged")
        lines = [
            "ClusterName=gpuplan-test",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={controller}",
            "AuthType=auth/munge",
            f"AuthInfo=socket={at}/munge.socket",
            "SlurmUser=root",
            "SlurmdUser=root",
            f"StateSaveLocation={at}/state",
            f"SlurmdSpoolDir={at}/spool-%n",
            f"SlurmctldPidFile={at}/slurmctld.pid",
            f"SlurmdPidFile={at}/slurmd-%n.pid",
            f"SlurmctldLogFile={at}/slurmctld.log",
            f"SlurmdLogFile={at}/slurmd-%n.log",
            # No control groups, no accounting: what a container can do.
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SwitchType=switch/none",
            "MpiDefault=none",
            "AccountingStorageType=accounting_storage/none",
            "JobAcctGatherType=jobacct_gather/none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core_Memory",
            "SlurmdParameters=config_overrides",  # the declared processors count, not those that are there
            "EnforcePartLimits=ALL",  # else --test-only takes any time
            "GresTypes=gpu",
            "JobRequeue=1",
            "KillWait=5",
            "ReturnToService=2",
            # Cloud machines are there when they are asked for.
            "SuspendProgram=/bin/true",
            "ResumeProgram=/bin/true",
            "SuspendTime=3600",
            "ResumeTimeout=60",
            "SuspendTimeout=10",
        ]
        names = [f"real{i + 1}" for i in range(self.real)]
        if names:
            lines += [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=64 RealMemory=256000 "
                      f"Gres=gpu:h100:{len(DEVICES)} State=UNKNOWN" for name, port in zip(names, workers)]
            lines += [f"SuspendExcNodes={','.join(names)}",
                      f"PartitionName=gpu Nodes={','.join(names)} Default=YES MaxTime=INFINITE State=UP"]
            (at / "gres.conf").write_text("AutoDetect=off\n" + "".join(
                f"NodeName={','.join(names)} Name=gpu Type=h100 File={device}\n" for device in DEVICES))
        lines += [one.node_line() for one in self.machines]
        lines += [one.partition_line() for one in self.machines]
        (at / "slurm.conf").write_text("\n".join(lines) + "\n")
        self.daemon("slurmctld", "-D", "-c")
        self.wait_for("the controller", lambda: self.run("sinfo", "-h", check=False).returncode == 0, "slurmctld")
        for name in names:
            (at / f"spool-{name}").mkdir()
            self.daemon("slurmd", "-D", "-N", name, called=name)
            self.wait_for(name, lambda: "idle" in self.run("sinfo", "-h", "-n", name, "-o", "%T"), name)

    def daemon(self, program, *words, called=""):
        # A session of its own: what stops the tests does not stop it before it is asked to end.
        name = called or program
        with open(self.folder / f"{name}.out", "wb") as out:
            self.daemons[name] = subprocess.Popen([program, *words], env=self.environment(), stdin=subprocess.DEVNULL,
                                                  stdout=out, stderr=out, start_new_session=True)

    def wait_for(self, what, ready, daemon, seconds=20):
        deadline = time.monotonic() + seconds
        while not ready():
            dead = self.daemons[daemon].poll() is not None
            if dead or time.monotonic() > deadline:
                said = (self.folder / f"{daemon}.out").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{what} {'ended' if dead else f'is not there after {seconds} s'}:\n{said}")
            time.sleep(0.05)

    def stop(self, name):
        daemon = self.daemons.pop(name, None)
        if daemon is None or daemon.poll() is not None:
            return
        daemon.send_signal(signal.SIGTERM)
        try:
            daemon.wait(timeout=10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
