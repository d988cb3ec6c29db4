package config

import "io/fs"

// SiteFile is the name of the site file at the root of the content repository.
const SiteFile = "site.yml"

// readSite returns nothing on Workers. All settings are in the environment there, so that the
// program needs no YAML parser.
func readSite(fs.FS, *SettingErrors, *SettingErrors) map[string]string { return nil }
