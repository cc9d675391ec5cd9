"""Tables, figures and pages as plain data, and one writer for each format. May import: basics."""
