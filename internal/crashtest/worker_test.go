package crashtest

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/internal/workerd"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// launchWorker returns a launcher of the service on workerd, with its keys and objects on disk.
func launchWorker(t *testing.T) launcher {
	folder, data := workerd.Build(t, "./hosts/workers/wasm"), t.TempDir()
	return func(env map[string]string, log io.Writer) (process, error) {
		port, err := strconv.Atoi(env["LISTEN"][strings.LastIndexByte(env["LISTEN"], ':')+1:])
		if err != nil {
			return nil, err
		}
		w, err := workerd.Start(workerd.Service(folder, data, port, env), log)
		return running{w}, err
	}
}

type running struct{ *workerd.Worker }

func (r running) kill()       { _ = r.Kill() }
func (r running) stop() error { return r.Kill() }

// runHourlyWork triggers the hourly work, which completes interrupted work. The server's own
// program runs it at startup.
func (w *fixture) runHourlyWork() {
	if err := w.fleet.servers[0].process.(running).Cron("0 * * * *"); err != nil {
		w.Error(err)
	}
}

// publish serves the public site of the campaigns, from which a worker reads them, and returns its
// URL.
func (w *fixture) publish() string {
	content := os.DirFS(w.content)
	cfg, err := config.Demo(rand.Reader, content, nil)
	if err != nil {
		w.Fatal(err)
	}
	catalogue, err := campaignfile.Load(content)
	if err != nil {
		w.Fatal(err)
	}
	b, err := site.New(site.Options{Content: content, Config: cfg})
	if err != nil {
		w.Fatal(err)
	}
	tree, err := b.Build(catalogue, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	public := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		tree.Serve(w, r, http.NotFoundHandler())
	}))
	w.Cleanup(public.Close)
	return public.URL
}

// Like TestKill_RandomPoints, but on workerd. No acknowledged change is lost.
//
// Proves SET-03.
func TestKill_Worker(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a real worker for a while")
	}
	workerd.Need(t)
	w := newFixture(t, launchWorker(t), nil, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	base := w.publish()
	for _, s := range w.fleet.servers {
		s.env["SITE_BASE"] = base
	}
	w.fleet.start()
	w.chaos(6, w.actAsSupporter)
	w.deliverAll()
	w.checkPledgesExist()

	w.shift(40 * 24 * time.Hour)
	w.chaos(4, w.actAsOperator)
	w.settle()
	w.runHourlyWork()
	w.checkBooks()
	w.checkReconciliation()
	t.Logf("%d kills of workerd, %d pledges, %d requests", w.kills, len(w.pledges), w.fleet.requests.Load())
}
