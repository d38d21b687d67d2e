"""Tables larger than memory: opened, not read; grown on and predicted in partitions, exactly as in memory.

`table` opens the files that `sources` finds, `survey` learns what their columns are, `coding` turns the rows
of a partition into codes, `questions` asks partitions for sums, `growing` grows a tree from the answers, and
`subtrees` are grown in memory and joined to it; `open_rows` are the rows as a whole, `parts` some of them,
`judging` judges trees by them. An `executor` holds the partitions: `local_files`, or `dask`.
"""

from treewright.distributed.dask import is_dask, predict_lazily
from treewright.distributed.fitting import rows_to_grow_on
from treewright.distributed.table import OpenTable, is_open, open_table

__all__ = ["OpenTable", "is_dask", "is_open", "open_table", "predict_lazily", "rows_to_grow_on"]
