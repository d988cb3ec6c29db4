package memory_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/admin/repository/repositorytest"
)

func TestConformance(t *testing.T) {
	repositorytest.Run(t, repositorytest.Harness{
		Open: func(_ testing.TB, files map[string]string) repository.Repository {
			held := map[string][]byte{}
			for path, text := range files {
				held[path] = []byte(text)
			}
			return memory.New(held)
		},
	})
}
