// Package config turns the environment and the site file into one typed,
// validated Config.
//
// The site file, site.yml at the root of the content repository, holds what
// everybody may read; an environment variable overrides its key. Secrets come
// from the environment alone, or from a file that a variable named KEY_FILE
// points to. Load reports every fault it finds at once, each with the setting
// it is about and what to do. docs/configuration.md lists all settings.
//
// A Config is read once, when the process starts: a change takes effect with
// the next start.
package config
