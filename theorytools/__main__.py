"""``python -m theorytools``: the command line."""

from theorytools.cli import main

if __name__ == "__main__":
    main()
