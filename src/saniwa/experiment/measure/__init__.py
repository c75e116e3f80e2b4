"""From outcomes to numbers: counted per cell, then compared between conditions."""
