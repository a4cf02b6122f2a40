"""Hide Rich from the processes that tests start, by shadowing it on their path.

Nodes do not install Rich, but a test tool depends on it. If structlog finds it, structlog loads it
in every process, which takes a twelfth of a node's startup.
"""

raise ImportError("Rich is not installed on nodes.")
