"""`python -m saddlepoint.cli`: the command line without the installed script."""

from saddlepoint.cli.main import main

main()
