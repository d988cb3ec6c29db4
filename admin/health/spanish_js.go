//go:build js

package health

// In returns the report as it is: a worker says what it finds in English.
func (r Report) In(string) Report { return r }
