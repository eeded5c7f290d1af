"""datasets.distributed: every rank reads other rows."""

from datasets import IterableRows


def split_dataset_by_node(rows, rank, world_size):
    return IterableRows(rows.rows, (rank, world_size))
