// Bundle bundles the scripts of hosts/site/scripts and hosts/dashboard, and the dashboard's style
// sheet, into hosts/site/assets. Run it in the project's root directory, as make scripts does.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	source = "hosts/site/scripts" // loads hosts/dashboard after sign-in
	target = "hosts/site/assets"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// run replaces the scripts in target with newly bundled ones.
func run(dir string) error {
	files, err := bundle(filepath.Join(dir, source))
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, target, "*.js")) // the style sheet is overwritten
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, target, name), body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// bundle returns the bundled files by name: site.js, which pages load, the chunks that it loads on
// demand, whose names contain a hash of their content, and dashboard.css.
func bundle(dir string) (map[string][]byte, error) {
	dir, err := filepath.Abs(dir) // required by esbuild
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, o := range []api.BuildOptions{scripts(dir), styles(dir)} {
		if err := build(o, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func scripts(dir string) api.BuildOptions {
	o := options(dir)
	o.EntryPoints, o.Format, o.Splitting = []string{"site.ts"}, api.FormatESModule, true
	o.JSX, o.JSXImportSource = api.JSXAutomatic, "preact"
	o.Loader = map[string]api.Loader{".txt": api.LoaderText}
	return o
}

func styles(dir string) api.BuildOptions {
	o := options(dir)
	o.EntryPoints, o.External = []string{"../../dashboard/styles/dashboard.css"}, []string{"*.woff2"}
	return o
}

func options(dir string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir: dir, Outdir: "out", Write: false, Bundle: true, Target: api.ES2022,
		Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, EntryNames: "[name]",
		ChunkNames: "[name]-[hash]",
	}
}

// build runs esbuild and adds its output to files.
func build(o api.BuildOptions, files map[string][]byte) error {
	result := api.Build(o)
	if len(result.Errors) > 0 {
		var faults []error
		for _, text := range api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
			faults = append(faults, errors.New(text))
		}
		return errors.Join(faults...)
	}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return nil
}
