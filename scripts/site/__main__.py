"""`make docs` builds the site in `build`; `make publish-docs` publishes it."""

import sys

from scripts.site.build import build_site
from scripts.site.pages import ROOT
from scripts.site.publish import publish_site

if sys.argv[1:] == ["publish"]:
    publish_site(ROOT / "build" / "site", ROOT)
else:
    build_site(ROOT / "build")
