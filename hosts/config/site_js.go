package config

import "io/fs"

// SiteFile is the name of the site file at the root of the content repository.
const SiteFile = "site.yml"

// readSite finds no site file on Workers, where there are no files: all is in the
// environment, and the program does without a reader of YAML.
func readSite(fs.FS, *Faults, *Faults) map[string]string { return nil }
