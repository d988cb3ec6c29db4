// Pledged is the Pledgeworks server and its command line: it serves the site and the API, settles
// campaigns, checks the configuration, makes backups and runs a demo.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// version is set by the linker in releases.
var version = ""

type commands struct {
	Init      initCommand      `cmd:"" help:"Create a content repository with a first campaign and a test configuration."`
	Check     checkCommand     `cmd:"" help:"Check the content and the configuration, and report all problems."`
	Doctor    doctorCommand    `cmd:"" help:"Check the health of the service and its dependencies, and print findings with remedies. Exits with 1 if there are warnings, and with 2 if there are critical findings."`
	Serve     serveCommand     `cmd:"" help:"Serve the site and the API."`
	Demo      demoCommand      `cmd:"" help:"Serve the example campaigns with a simulated processor, or run a scripted demonstration with --script."`
	Build     buildCommand     `cmd:"" help:"Build the public site into a directory, for any static host."`
	Preview   previewCommand   `cmd:"" help:"Serve a live preview of a campaign file on this machine."`
	Quote     quoteCommand     `cmd:"" help:"Quote tax and shipping for a cart and a destination, with their sources."`
	Rehearse  rehearseCommand  `cmd:"" help:"Forecast a campaign's settlement on a copy of the data, without charges."`
	Settle    settleCommand    `cmd:"" help:"Charge the supporters of a funded campaign after its deadline."`
	Reconcile reconcileCommand `cmd:"" help:"Compare a campaign's books with the processor's and list the differences."`
	Ledger    ledgerCommand    `cmd:"" help:"Verify a campaign's ledger and print its entries as text, for hledger, Ledger and Beancount."`
	Disputes  disputesCommand  `cmd:"" help:"List a campaign's disputes with the deadlines for answers."`
	Refund    refundCommand    `cmd:"" help:"List a campaign's refunds, refund a pledge, or continue a refund."`
	RefundAll refundAllCommand `cmd:"" help:"Refund all payments of a campaign that cannot deliver; a second operator has to confirm."`
	Payouts   payoutsCommand   `cmd:"" help:"List the processor's payouts with the campaigns' shares."`
	Resolve   resolveCommand   `cmd:"" help:"List the charges that need an operator, or resolve one; a second operator has to confirm."`
	Terms     termsCommand     `cmd:"" help:"List the pledges whose terms differ from the processor's record, or approve charging one; a second operator has to confirm."`
	Reopen    reopenCommand    `cmd:"" help:"Reopen a campaign that was closed by mistake; a second operator has to confirm."`
	Stop      stopCommand      `cmd:"" help:"Stop all charges: settlements and retries, for example after a restore."`
	Resume    resumeCommand    `cmd:"" help:"Resume charging after a stop or a restore."`
	Mail      mailCommand      `cmd:"" help:"Show waiting emails, and stop or resume sending."`
	Admin     adminCommand     `cmd:"" help:"Manage users, and create sign-in links without email."`
	Audit     auditCommand     `cmd:"" help:"Show and verify the audit log."`
	Report    reportCommand    `cmd:"" help:"Print a campaign's pledges as CSV."`
	Cancel    cancelCommand    `cmd:"" help:"Cancel a pledge that settlement cannot charge."`
	Links     linksCommand     `cmd:"" help:"Email a supporter the links to their pledges again."`
	Orders    ordersCommand    `cmd:"" help:"List saved cards without a pledge."`
	Recover   recoverCommand   `cmd:"" help:"Recreate the pledges of a saved card, or ask its supporter to pledge again."`
	Backup    backupCommand    `cmd:"" help:"Copy the database to a file while the service runs."`
	Restore   restoreCommand   `cmd:"" help:"Fill an empty SQLite or PostgreSQL database from a backup."`
	Rebuild   rebuildCommand   `cmd:"" help:"Rebuild the projections of one campaign, or of all."`
	Operator  operatorCommand  `cmd:"" help:"Create an operator key."`
	Tax       taxCommand       `cmd:"" help:"Check and refresh the vendored tax tables."`
	Schema    schemaCommand    `cmd:"" help:"Print the JSON Schema of campaigns, add-ons or settings, for editors."`
	OpenAPI   openAPICommand   `cmd:"" name:"openapi" help:"Print the OpenAPI 3.1 document."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

// environ is the environment of a command.
type environ struct {
	ctx    context.Context
	out    io.Writer
	err    io.Writer
	lookup func(string) (string, bool)
	app    *app.App // the service, if the command runs in its server
}

// exitError is the exit status of a command that has already printed everything.
type exitError int

func (s exitError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := &environ{ctx: ctx, out: os.Stdout, err: os.Stderr, lookup: os.LookupEnv}
	return execute(w, os.Args[1:])
}

func execute(w *environ, args []string) int {
	var cli commands
	parser, err := kong.New(&cli, kong.Name("pledged"), kong.UsageOnError(), kong.Writers(w.out, w.err),
		kong.Description("Self-hosted all-or-nothing crowdfunding. Commands run in the server that uses DATA_DIR, with its clock, or directly on the database if none runs."))
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
	err = w.run(command)
	if ended, ok := errors.AsType[exitError](err); ok {
		return int(ended)
	}
	if err != nil {
		fmt.Fprintln(w.err, "pledged:", err)
		return 1
	}
	return 0
}

// endWithin is how long a command may continue after the program was asked to end.
const endWithin = 5 * time.Second

// run runs a command. When the program is asked to end, commands that serve requests complete them.
// Any other command has endWithin to end by itself, and is then left unfinished: it may be computing,
// or waiting for input.
func (w *environ) run(command *kong.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- command.Run(w) }()
	select {
	case err := <-ended:
		return err
	case <-w.ctx.Done():
	}
	if slices.Contains([]string{"serve", "demo", "preview"}, strings.Fields(command.Command())[0]) {
		return <-ended
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(endWithin):
		return w.ctx.Err()
	}
}

type openAPICommand struct {
	Base string `help:"Base URL of the service." default:"http://127.0.0.1:8787"`
}

func (c openAPICommand) Run(w *environ) error {
	document, err := httpapi.Document(c.Base)
	if err == nil {
		_, err = w.out.Write(append(document, '\n'))
	}
	return err
}

type versionCommand struct{}

func (versionCommand) Run(w *environ) error {
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
