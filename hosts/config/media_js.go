package config

// checkMedia does nothing on Workers, which accept no uploads.
func (*Config) checkMedia(*SettingErrors) {}
