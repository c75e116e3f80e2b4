"""The author's side: reading definitions, telling every mistake, finding and drawing them."""
