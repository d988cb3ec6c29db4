package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Examine runs the health checks that are possible for a service that cannot be opened. faults
// contains configuration problems, more contains findings already made.
func Examine(ctx context.Context, o Options, faults []string, more ...health.Finding) health.Report {
	m := compose.ConfigHealthDeps(o.Config)
	m.Now, m.Log, m.Version, m.Faults = o.Now, o.Log, o.Version, faults
	outside{}.add(&m, o.Config, o.Content)
	if o.Config.Processor.Provider == config.Stripe {
		if p, err := openStripe(o); err == nil {
			m.Account, m.RefundAccount = p.Account, refundAccount(o)
		}
	}
	r := m.Run(ctx, runParallel)
	r.Add(more...)
	return r
}

// healthDeps adds this host's health checks.
func (a *App) healthDeps(m *health.Deps) {
	a.outside.add(m, a.Config, a.content)
	m.Content = a.examineContent
	m.Schema, m.Backup = a.Engine.Schema, a.Services.LastBackup
	if a.films != nil {
		m.Films = func(ctx context.Context) error { return a.films.Check(ctx, string(a.Config.Site.Base)) }
	}
	if kept := a.Services.Repository; kept != nil {
		m.Repository = func(ctx context.Context) (refused string, err error) {
			head, err := kept.Head(ctx)
			if a.copy == nil || head == "" || head != a.copy.refusal() {
				return "", err
			}
			return head, err
		}
	}
}

// outside gives health checks access to the machine and the network.
type outside struct {
	resolver *net.Resolver  // nil means the system's
	roots    *x509.CertPool // nil means the system's
}

func (o outside) add(m *health.Deps, c config.Config, content fs.FS) {
	m.Resolver, m.Certificate = o, o.certificate
	m.Disk = func(context.Context) (free, size uint64, err error) { return diskSpace(c.Server.DataDir) }
	m.Content = func(context.Context) (int, error) { return checkCampaigns(content) }
	kind, _ := c.Content.Place()
	m.ReadOnly = kind == ""
}

// LookupTXT implements health.Resolver.
func (o outside) LookupTXT(ctx context.Context, name string) ([]string, error) {
	texts, err := o.resolver.LookupTXT(ctx, name)
	var answer *net.DNSError
	if errors.As(err, &answer) && answer.IsNotFound {
		return nil, nil
	}
	return texts, err
}

// certificate returns the expiry of a host's certificate, which must be trusted or expired.
func (o outside) certificate(ctx context.Context, host string) (time.Time, error) {
	address := host
	if _, _, err := net.SplitHostPort(host); err != nil {
		address = net.JoinHostPort(host, "443")
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: o.roots, MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired && time.Now().After(invalid.Cert.NotAfter) {
		return invalid.Cert.NotAfter, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	shown := conn.(*tls.Conn).ConnectionState().PeerCertificates
	return shown[0].NotAfter, conn.Close()
}

// checkCampaigns returns the number of campaigns in content, or an error that lists all problems.
func checkCampaigns(content fs.FS) (int, error) {
	catalogue, err := campaignfile.Load(content)
	if err != nil {
		return 0, err
	}
	return len(catalogue.Campaigns()), errors.Join(catalogue.Validate(shipping.PresetNames()),
		catalogue.CheckFiles(content))
}
