# shellcheck shell=bash
# Which wheels of torch this machine's driver runs, before pip installs anything: of its own accord pip takes those of PyPI,
# which from 2.11 on are built for CUDA 13 (pytorch/test-infra, generate_binary_build_matrix.py) and see no GPU under a driver
# for CUDA 12. Those for CUDA 12.6 are made of every release, but know no Blackwell: there those for 12.8, of 2.10 and before.
# A torch that is here already stays where it is what the packages ask for. `. torch_index.sh vllm`: its wheels hold binaries
# for one torch and one CUDA, 13 from the torch on whose wheels are (vllm-project/vllm, vllm/envs.py VLLM_MAIN_CUDA_VERSION),
# so that the newest one before is taken; one that is here stays.
driver_cuda=$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA[A-Za-z ]*Version: *\([0-9]*\.[0-9]*\).*/\1/p' | head -n 1) || driver_cuda=
if [[ "$driver_cuda" == 12.* ]] && [ "${1:-}" = vllm ]; then
  if ! python3 -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("vllm") is None)'; then
    printf 'torch<2.11\n' >"$GPUPLAN_RUN_DIR/torch.txt"
    export PIP_CONSTRAINT="$GPUPLAN_RUN_DIR/torch.txt"
    echo "the driver is for CUDA $driver_cuda: the newest vLLM is taken that is built for it (torch before 2.11)"
  fi
elif [[ "$driver_cuda" == 12.* ]]; then
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -V | tail -n 1) || capability=
  torch_for=cu126
  if [[ "${capability%%.*}" =~ ^[0-9]+$ ]] && [ "${capability%%.*}" -ge 10 ]; then
    torch_for=cu128
    printf 'torch<2.11\n' >"$GPUPLAN_RUN_DIR/torch.txt"
    export PIP_CONSTRAINT="$GPUPLAN_RUN_DIR/torch.txt"
  fi
  export PIP_EXTRA_INDEX_URL="${PIP_EXTRA_INDEX_URL:+$PIP_EXTRA_INDEX_URL }https://download.pytorch.org/whl/$torch_for"
  echo "the driver is for CUDA $driver_cuda: torch is taken from the wheels for $torch_for"
fi
