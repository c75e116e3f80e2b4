"""Story content on its way to a host; knows nothing of any world."""
