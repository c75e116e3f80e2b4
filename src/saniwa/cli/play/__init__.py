"""`saniwa play`: play scenarios and stories in a terminal."""
