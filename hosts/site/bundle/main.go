// Bundle bundles the scripts of hosts/site/scripts and hosts/dashboard into hosts/site/assets. Run
// it in the project's root directory, as make scripts does.
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
	old, err := filepath.Glob(filepath.Join(dir, target, "*.js"))
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

// bundle returns the bundled scripts by file name: site.js, which every page loads, and the chunks
// loaded on demand, whose names contain a hash of their content.
func bundle(dir string) (map[string][]byte, error) {
	dir, err := filepath.Abs(dir) // the names of chunks depend on the path
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, EntryPoints: []string{"site.ts"}, JSX: api.JSXAutomatic, JSXImportSource: "preact", Outdir: "out", Write: false, Bundle: true, Splitting: true,
		Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, Loader: map[string]api.Loader{".txt": api.LoaderText},
		EntryNames: "[name]", ChunkNames: "[name]-[hash]",
	})
	if len(result.Errors) > 0 {
		var faults []error
		for _, text := range api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
			faults = append(faults, errors.New(text))
		}
		return nil, errors.Join(faults...)
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, nil
}
