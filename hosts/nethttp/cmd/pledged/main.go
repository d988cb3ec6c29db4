// Pledged is the service as one program: it serves, settles, checks, backs up
// and shows itself in a demo.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// version is set by the linker in a release.
var version = ""

type commands struct {
	Init      initCommand      `cmd:"" help:"Make a content folder with a first campaign and a configuration for trying it."`
	Check     checkCommand     `cmd:"" help:"Check the content folder and the configuration, and report everything that is wrong."`
	Doctor    doctorCommand    `cmd:"" help:"Look at everything that the service needs, and say what is wrong and how it is put right. Ends with 1 after warnings, with 2 after what is critical."`
	Serve     serveCommand     `cmd:"" help:"Serve the site and the API."`
	Demo      demoCommand      `cmd:"" help:"Serve the example campaigns on a simulated processor, or play the whole story with --script."`
	Build     buildCommand     `cmd:"" help:"Build the public site into a folder, for any static host."`
	Preview   previewCommand   `cmd:"" help:"Show one campaign's file as its page, on this machine, and follow it while it is written."`
	Quote     quoteCommand     `cmd:"" help:"Quote tax and shipping for a cart and a destination, with their sources."`
	Rehearse  rehearseCommand  `cmd:"" help:"Forecast a campaign's settlement on a copy: cards are read, nobody is charged."`
	Settle    settleCommand    `cmd:"" help:"Charge the supporters of a funded campaign after its deadline."`
	Reconcile reconcileCommand `cmd:"" help:"Compare a campaign's books with the processor's and list the differences."`
	Resolve   resolveCommand   `cmd:"" help:"List the charges that need an operator, or say what became of one; a second operator confirms."`
	Terms     termsCommand     `cmd:"" help:"List the pledges for which the processor has other terms, or decide that one is charged; a second operator confirms."`
	Reopen    reopenCommand    `cmd:"" help:"Reopen a campaign that was closed by mistake; a second operator confirms."`
	Stop      stopCommand      `cmd:"" help:"Stop all charging: settlements and retries."`
	Resume    resumeCommand    `cmd:"" help:"Resume charging after a stop or a restore."`
	Mail      mailCommand      `cmd:"" help:"See what waits to be sent, and stop mails or let them go."`
	Admin     adminCommand     `cmd:"" help:"See and change who may sign in, and let somebody in where no mail goes out."`
	Audit     auditCommand     `cmd:"" help:"See what operators did, and check that the record of it is whole."`
	Report    reportCommand    `cmd:"" help:"Print a campaign's pledges as CSV."`
	Cancel    cancelCommand    `cmd:"" help:"Cancel a pledge that settlement cannot charge."`
	Links     linksCommand     `cmd:"" help:"Mail a supporter the links to their pledges again."`
	Orders    ordersCommand    `cmd:"" help:"List saved cards at the processor that have no pledge here."`
	Recover   recoverCommand   `cmd:"" help:"Make the pledges of a saved card, or ask its supporter to pledge again."`
	Backup    backupCommand    `cmd:"" help:"Copy the database to a file while the service runs."`
	Restore   restoreCommand   `cmd:"" help:"Fill an empty database from a backup of either engine."`
	Rebuild   rebuildCommand   `cmd:"" help:"Rebuild the projections of one campaign, or of all."`
	Operator  operatorCommand  `cmd:"" help:"Make an operator's key."`
	Tax       taxCommand       `cmd:"" help:"Check and refresh the vendored tax tables."`
	Schema    schemaCommand    `cmd:"" help:"Print the JSON Schema of campaigns, add-ons or settings, for editors."`
	OpenAPI   openAPICommand   `cmd:"" name:"openapi" help:"Print the OpenAPI 3.1 document."`
	Bench     benchCommand     `cmd:"" help:"Put load on servers and print their latencies."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

// world is what a command sees of the machine.
type world struct {
	ctx    context.Context
	out    io.Writer
	err    io.Writer
	lookup func(string) (string, bool)
	app    *app.App // the service, where the command runs in its server
}

// exitStatus ends the program after a command that has said everything.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("it ends with %d", int(s)) }

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := &world{ctx: ctx, out: os.Stdout, err: os.Stderr, lookup: os.LookupEnv}
	return execute(w, os.Args[1:])
}

func execute(w *world, args []string) int {
	var cli commands
	parser, err := kong.New(&cli, kong.Name("pledged"), kong.UsageOnError(), kong.Writers(w.out, w.err),
		kong.Description("All-or-nothing crowdfunding that you run yourself. Commands work through the server that runs on DATA_DIR, on its clock, or on the database where none runs."))
	if err != nil {
		fmt.Fprintln(w.err, "pledged:", err)
		return 2
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(w.err, "pledged:", err)
		fmt.Fprintln(w.err, "Run pledged --help to see the commands.")
		return 2
	}
	err = command.Run(w)
	var ended exitStatus
	if errors.As(err, &ended) {
		return int(ended)
	}
	if err != nil {
		fmt.Fprintln(w.err, "pledged:", err)
		return 1
	}
	return 0
}

type openAPICommand struct {
	Base string `help:"The service's address." default:"http://127.0.0.1:8787"`
}

func (c openAPICommand) Run(w *world) error {
	document, err := httpapi.Document(c.Base)
	if err == nil {
		_, err = w.out.Write(append(document, '\n'))
	}
	return err
}

type versionCommand struct{}

func (versionCommand) Run(w *world) error {
	_, err := fmt.Fprintln(w.out, "pledged", versionText())
	return err
}

func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return info.Main.Version + " " + s.Value[:12]
		}
	}
	return info.Main.Version
}
