// Pledged is the service as one program: it serves, settles, checks, backs up
// and shows itself in a demo.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// version is set by the linker in a release.
var version = ""

type commands struct {
	Serve     serveCommand     `cmd:"" help:"Serve the API, with the configuration of the environment and the site file."`
	Demo      demoCommand      `cmd:"" help:"Serve the example campaigns with a simulated processor, or tell the whole story with --script."`
	Settle    settleCommand    `cmd:"" help:"Settle a campaign that has ended and is funded."`
	Resolve   resolveCommand   `cmd:"" help:"Say what became of a charge that needs attention, which a second operator confirms; or list those."`
	Cancel    cancelCommand    `cmd:"" help:"Cancel a pledge that settlement can't charge."`
	Orders    ordersCommand    `cmd:"" help:"List saved cards at the processor that have no pledge here."`
	Recover   recoverCommand   `cmd:"" help:"Make the pledges of a saved card, or ask its supporter to pledge again."`
	Operator  operatorCommand  `cmd:"" help:"Make an operator's key."`
	Links     linksCommand     `cmd:"" help:"Mail the links to somebody's pledges to them again."`
	Stop      stopCommand      `cmd:"" help:"Stop all charging: settlements, whoever asks for them, and the retries of cards."`
	Resume    resumeCommand    `cmd:"" help:"Let charging go on that was stopped, by command or by a restore."`
	Quote     quoteCommand     `cmd:"" help:"Quote tax and shipping of a cart to a destination, with their sources."`
	Rehearse  rehearseCommand  `cmd:"" help:"Play a campaign's settlement on a copy, with the real cards read and nobody charged, and forecast what it comes to."`
	Reconcile reconcileCommand `cmd:"" help:"Hold a campaign's books against the processor's, both ways, and list what differs."`
	Build     buildCommand     `cmd:"" help:"Build the public site into a folder, for any host of files."`
	Check     checkCommand     `cmd:"" help:"Check the content repository and the configuration, and report everything that is wrong."`
	Backup    backupCommand    `cmd:"" help:"Copy the database into a file while the service runs."`
	Restore   restoreCommand   `cmd:"" help:"Fill an empty database from a backup, of this engine or the other."`
	Rebuild   rebuildCommand   `cmd:"" help:"Write the projections of one campaign or all of them anew."`
	Tax       taxCommand       `cmd:"" help:"Look after the vendored tax tables."`
	OpenAPI   openAPICommand   `cmd:"" name:"openapi" help:"Print the description of the API, by OpenAPI 3.1."`
	Bench     benchCommand     `cmd:"" help:"Put load on servers and tell how they took it, with latencies from the moment each was due."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

// world is what a command sees of the machine.
type world struct {
	ctx    context.Context
	out    io.Writer
	err    io.Writer
	lookup func(string) (string, bool)
}

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
		kong.Description("An all-or-nothing crowdfunding service: a card is saved now and charged once after the deadline, if the campaign is funded."))
	if err != nil {
		fmt.Fprintln(w.err, "pledged:", err)
		return 2
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(w.err, "pledged:", err)
		fmt.Fprintln(w.err, "Run pledged --help for the commands there are.")
		return 2
	}
	if err := command.Run(w); err != nil {
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
