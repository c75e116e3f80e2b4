"""The commands of `saniwa experiment`: run, resume, replay, report, compare, show."""
