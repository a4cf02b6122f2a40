"""Comparison of the solver with other programs that solve the same games.

    python -m deploy.peers
    python -m deploy.peers --rows freecell golf

Each row of the table gives the same deals to the solver and to one other program, one after the
other on the same core, and compares verdicts and processor time. It writes the table to
`engine/solver/PEERS.md`. The row of a program that is not installed says so.

- `fc-solve` and `freecell-solver-range-parallel-solve`: Debian's package `freecell-solver-bin`.
- `black-hole-solve`: built from the source of black-hole-solver.
- `pyksolve`: the Python package, in the environment of this command.
- Solvitaire is in no package registry and has no measurement here.

`deploy.bench.colyseus` compares the server, not the solver, with another one.
"""
