"""In place of PyTorch where scripts only ask it for GPUs (lib.sh): importing the real one takes seconds."""


class cuda:
    @staticmethod
    def device_count():
        return 0
