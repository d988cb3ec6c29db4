// Package config loads the configuration from environment variables and the site file into one
// typed, validated Config.
//
//	cfg, err := config.Load(os.LookupEnv, os.DirFS(contentDir))
//
// # Sources
//
// A setting's value comes from its environment variable, otherwise from its key in site.yml,
// otherwise from its default. The site file is at the root of the content repository and public, so
// secrets are accepted from the environment only. A secret can also be read from a file: see
// SecretFiles. WithEnvFile adds the variables of a .env file for local development.
// docs/configuration.md lists all settings.
//
// # Errors
//
// Load returns SettingErrors with every problem that it finds, each with the name of the setting
// and a remedy. Problems that do not prevent the start are in Config.Warnings.
//
// The configuration is read once, when the process starts. Changes take effect after a restart.
package config
