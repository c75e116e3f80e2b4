"""Saniwa's supply chain: lock files, licences, SBOMs and known vulnerabilities."""
