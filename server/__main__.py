"""`python -m server`: the command `samedeal`."""

from server.cli import main

if __name__ == "__main__":
    main()
