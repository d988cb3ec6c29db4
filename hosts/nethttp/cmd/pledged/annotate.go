package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// finding is a problem in the machine-readable output of check.
type finding struct {
	Severity string `json:"severity"` // error or warning
	campaign.Problem
}

// annotate reports only content problems, because a program that reviews a change does not have the
// server's settings.
func (c checkCommand) annotate(w *environ, i inspection) error {
	all := newFindings("error", append(i.problems, problemsOfSite(i.faulty)...))
	wrong := len(all)
	all = append(all, newFindings("warning", append(i.catalogue.Warnings(), problemsOfSite(i.cfg.Warnings)...))...)
	write := writeJSON
	if c.Format == "github" {
		write = func(out io.Writer, all []finding) error { return writeAnnotations(out, all, relativeTo(i.dir)) }
	}
	if err := write(w.out, all); err != nil {
		return err
	}
	if wrong > 0 {
		return errors.New(formatCount(wrong, "problem", "problems"))
	}
	return nil
}

func newFindings(severity string, problems campaign.Problems) []finding {
	all := make([]finding, 0, len(problems))
	for _, p := range problems {
		all = append(all, finding{severity, p})
	}
	return all
}

// problemsOfSite returns the problems in the site file.
func problemsOfSite(err error) campaign.Problems {
	var faults config.SettingErrors
	errors.As(err, &faults)
	var all campaign.Problems
	for _, f := range faults {
		if f.Name == config.SiteFile || strings.Contains(f.Name, ".") {
			all = append(all, campaign.Problem{File: config.SiteFile, Field: f.Name, Message: f.Error()})
		}
	}
	return all
}

func writeJSON(out io.Writer, all []finding) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

// relativeTo returns a directory's path relative to the working directory, which is the
// repository's root when a pull request is checked. It returns "" if the directory is not below the
// working directory.
func relativeTo(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	path, err := filepath.Rel(here, dir)
	if err != nil || strings.HasPrefix(path, "..") {
		return ""
	}
	return path
}

// Escapes for GitHub workflow commands, in values and in properties:
// https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
var (
	annotationValue    = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeAnnotations writes workflow commands, which GitHub and Gitea show at the lines.
func writeAnnotations(out io.Writer, all []finding, folder string) error {
	for _, f := range all {
		line := fmt.Sprintf("::%s file=%s", f.Severity,
			annotationProperty.Replace(filepath.ToSlash(filepath.Join(folder, f.File))))
		if f.Line > 0 {
			line += fmt.Sprintf(",line=%d", f.Line)
		}
		if f.Field != "" {
			line += ",title=" + annotationProperty.Replace(f.Field)
		}
		if _, err := fmt.Fprintf(out, "%s::%s\n", line, annotationValue.Replace(f.Message)); err != nil {
			return err
		}
	}
	return nil
}
