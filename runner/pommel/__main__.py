"""`python -m pommel` is `pommel`."""

from pommel.cli import main

if __name__ == "__main__":
    main()
