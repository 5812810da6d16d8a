"""A process of a live run, which the laboratory starts: `python -m sheave lab part STUDY PART`."""

import sys

from sheave._sheave import take_part


def main() -> int:
    words = sys.argv[1:]
    if len(words) == 4 and words[:2] == ["lab", "part"]:
        return 0 if take_part(*words[2:]) else 1
    print("this is for the laboratory's own processes; the tool is `sheave`", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
