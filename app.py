"""Open the page: `python app.py`, then visit the address that it prints.

GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are honoured.
"""

from __future__ import annotations

import argparse

from demo import site


def main() -> None:
    """Read the command line, build the page and serve it until interrupted."""
    parser = argparse.ArgumentParser(description="Serve the page on this machine.")
    parser.add_argument("--port", type=int, help="port to serve on; without it, the first free one from 7860")
    args = parser.parse_args()
    site.build().launch(server_port=args.port, **site.launch_options())


if __name__ == "__main__":
    main()
