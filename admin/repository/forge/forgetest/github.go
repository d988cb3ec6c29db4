package forgetest

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// AsGitHub adds the handlers specific to GitHub.
func AsGitHub(f *Fake) {
	f.HandleFunc("GET /repos/o/n/git/ref/heads/{branch}", func(w http.ResponseWriter, r *http.Request) {
		sha, err := f.Git("rev-parse", "--verify", "--quiet", "refs/heads/"+r.PathValue("branch"))
		if err != nil {
			Refuse(w, 404, "Not Found")
			return
		}
		answer(w, 200, map[string]any{"ref": "refs/heads/" + r.PathValue("branch"),
			"object": map[string]string{"type": "commit", "sha": sha}})
	})
	f.HandleFunc("POST /repos/o/n/git/blobs", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Content, Encoding string }
		if !f.read(w, r, &in) {
			return
		}
		b := []byte(in.Content)
		if in.Encoding == "base64" {
			b, _ = base64.StdEncoding.DecodeString(in.Content)
		}
		sha, err := f.run(f.Bare, b, nil, "hash-object", "-w", "--stdin")
		if err != nil {
			Refuse(w, 422, err.Error())
			return
		}
		answer(w, 201, map[string]string{"sha": strings.TrimSpace(sha)})
	})
	f.HandleFunc("POST /repos/o/n/git/trees", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			BaseTree string `json:"base_tree"`
			Tree     []node `json:"tree"`
		}
		if !f.read(w, r, &in) {
			return
		}
		there, err := f.nodes(in.BaseTree)
		if err != nil {
			Refuse(w, 422, "base_tree is not a valid tree oid")
			return
		}
		known := map[string]bool{}
		for _, n := range there {
			known[n.Path] = true
		}
		for _, n := range in.Tree {
			if n.SHA == nil && !known[n.Path] {
				Refuse(w, 422, "GitRPC::BadObjectState")
				return
			}
		}
		sha, err := f.write(in.BaseTree, in.Tree)
		if err != nil {
			Refuse(w, 422, err.Error())
			return
		}
		answer(w, 201, map[string]string{"sha": sha})
	})
	f.HandleFunc("POST /repos/o/n/git/commits", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Message, Tree     string
			Parents           []string
			Author, Committer person
		}
		if !f.read(w, r, &in) {
			return
		}
		sha, err := f.commit(in.Tree, in.Parents[0], in.Message, in.Author)
		if err != nil {
			Refuse(w, 422, err.Error())
			return
		}
		answer(w, 201, map[string]string{"sha": sha})
	})
	f.HandleFunc("PATCH /repos/o/n/git/refs/heads/{branch}", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			SHA   string
			Force bool
		}
		if !f.read(w, r, &in) {
			return
		}
		ref := "refs/heads/" + r.PathValue("branch")
		now, err := f.Git("rev-parse", ref)
		if err != nil {
			Refuse(w, 422, "Reference does not exist")
			return
		}
		if _, err := f.Git("merge-base", "--is-ancestor", now, in.SHA); err != nil && !in.Force {
			Refuse(w, 422, "Update is not a fast forward")
			return
		}
		if _, err := f.Git("update-ref", ref, in.SHA, now); err != nil {
			Refuse(w, 409, "is at another than expected")
			return
		}
		f.done(w, 200, map[string]any{"ref": ref, "object": map[string]string{"sha": in.SHA}})
	})
}
