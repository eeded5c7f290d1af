"""Programs on a terminal of a test's own."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import ROOT


PATIENCE = 180  # seconds: what is waited for are events; this only ends a test on a machine where they never come


class Terminal:
    """A terminal with a program on it. Skips the test on machines that have none (a chroot without /dev/pts)."""

    def __init__(self, words, environment, lines=50, columns=100, stdout=True, stderr=True, stdin=True):
        try:
            self.primary, secondary = pty.openpty()
        except OSError as error:
            raise unittest.SkipTest(f"this machine has no terminals ({error})")
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

        def take_terminal():
            os.setsid()
            fcntl.ioctl(secondary, termios.TIOCSCTTY, 0)

        self.program = subprocess.Popen(words, cwd=ROOT, env=environment, preexec_fn=take_terminal,
                                        stdin=secondary if stdin else subprocess.DEVNULL,
                                        stdout=secondary if stdout else subprocess.DEVNULL,
                                        stderr=secondary if stderr else subprocess.DEVNULL)
        os.close(secondary)

    def type(self, text):
        os.write(self.primary, text.encode())

    def read(self, until=None, seconds=PATIENCE):
        """What is written until this pattern is found, the program ends or time is up."""
        text = b""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.primary], [], [], 0.1)
            if ready:
                try:
                    piece = os.read(self.primary, 65536)
                except OSError:  # the other end is closed
                    break
                if not piece:
                    break
                text += piece
            if until is not None and re.search(until, text.decode("utf-8", "replace"), re.S):
                break
        return text.decode("utf-8", "replace").replace("\r\n", "\n")

    def kill(self):
        """For shells, which would go on for ever."""
        os.killpg(self.program.pid, signal.SIGKILL)
        self.program.wait()
        os.close(self.primary)

    def end(self):
        """The exit code; the program is ended when it does not end by itself."""
        try:
            return self.program.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.program.pid, signal.SIGKILL)
            return self.program.wait()
        finally:
            os.close(self.primary)
