package forgetest

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// AsGitea adds the handlers specific to Gitea.
func AsGitea(f *Fake) {
	f.HandleFunc("GET /repos/o/n/branches/{branch}", func(w http.ResponseWriter, r *http.Request) {
		sha, err := f.Git("rev-parse", "--verify", "--quiet", "refs/heads/"+r.PathValue("branch"))
		if err != nil {
			Refuse(w, 404, "The target couldn't be found.")
			return
		}
		answer(w, 200, map[string]any{"name": r.PathValue("branch"), "commit": map[string]string{"id": sha}})
	})
	f.HandleFunc("POST /repos/o/n/contents", f.contents)
}

func (f *Fake) contents(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Branch, Message   string
		Author, Committer person
		Dates             struct{ Author, Committer time.Time }
		Files             []struct{ Operation, Path, Content, SHA string }
	}
	if !f.read(w, r, &in) {
		return
	}
	ref := "refs/heads/" + in.Branch
	head, err := f.Git("rev-parse", "--verify", "--quiet", ref)
	if err != nil {
		Refuse(w, 404, "branch does not exist")
		return
	}
	there, err := f.nodes(head)
	if err != nil {
		Refuse(w, 500, err.Error())
		return
	}
	now := map[string]node{}
	for _, n := range there {
		now[n.Path] = n
	}
	var entries []node
	for _, file := range in.Files {
		n, known := now[file.Path]
		switch {
		case file.Operation == "create" && known && n.Type == "blob":
			Refuse(w, 422, "repository file already exists")
			return
		case file.Operation != "create" && !known:
			Refuse(w, 404, "repository file does not exist")
			return
		case file.Operation != "create" && file.SHA != "" && file.SHA != *n.SHA:
			Refuse(w, 422, "sha does not match [given: "+file.SHA+", expected: "+*n.SHA+"]")
			return
		case file.Operation == "delete":
			entries = append(entries, node{Path: file.Path})
			continue
		}
		b, err := base64.StdEncoding.DecodeString(file.Content)
		if err != nil {
			Refuse(w, 422, err.Error())
			return
		}
		sha, err := f.run(f.Bare, b, nil, "hash-object", "-w", "--stdin")
		if err != nil {
			Refuse(w, 500, err.Error())
			return
		}
		sha = strings.TrimSpace(sha)
		entries = append(entries, node{Path: file.Path, Mode: "100644", SHA: &sha})
	}
	tree, err := f.write(head, entries)
	if err != nil {
		Refuse(w, 500, err.Error())
		return
	}
	in.Author.Date = in.Dates.Author
	made, err := f.commit(tree, head, in.Message, in.Author)
	if err != nil {
		Refuse(w, 500, err.Error())
		return
	}
	if _, err := f.Git("update-ref", ref, made, head); err != nil {
		Refuse(w, 403, "cannot lock ref '"+ref+"': is at "+made+" but expected "+head)
		return
	}
	f.done(w, 201, map[string]any{"commit": map[string]any{"sha": made, "parents": []any{map[string]string{"sha": head}}}})
}
