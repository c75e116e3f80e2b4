"""What Saniwa is made of: locks read, licences listed, parts declared, advisories asked."""
