package site

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
)

// maxOwnText is the maximum length, in characters, of a page that the operator writes, such as
// pages/about.md or pages/es/terms.md.
const maxOwnText = 100_000

// addFixedPages adds all pages of a language except those that addCampaign adds. With the pages of
// the default language it adds the site's share card.
func (e *edition) addFixedPages(l locale) {
	pages := []page{
		{Name: "checkout", Path: "/checkout/", Script: "checkout", Pays: true, Private: true, NoIndex: true},
		{Name: "success", Path: "/pledge-success/", Script: "success", Private: true, NoIndex: true},
		{Name: "cancelled", Path: "/pledge-cancelled/", Private: true, NoIndex: true},
		{Name: "manage", Path: "/manage/", Script: "manage", Pays: true, Private: true, NoIndex: true},
		{Name: "manage", Path: "/manage/updated/", Script: "manage", Pays: true, Private: true, NoIndex: true},
		{Name: "links", Path: "/links/", Script: "links", NoIndex: true},
		{Name: "mails", Path: "/mails/", Script: "mails", Private: true, NoIndex: true},
		{Name: "reminder", Path: "/reminder/", Script: "reminder", Private: true, NoIndex: true},
		{Name: "admin", Path: "/admin/", Script: "admin", Private: true, NoIndex: true, Challenge: e.signInChallenge()},
		{Name: "missing", Path: "/404.html", NoIndex: true},
	}
	pages = append(pages, e.homePages(l, e.campaigns)...)
	for _, slug := range e.previews { // the page contains nothing about the campaign
		pages = append(pages,
			page{Name: "preview", Path: "/campaigns/" + slug + "/preview/", Script: "preview", Private: true, NoIndex: true})
	}
	if l.Code == origin {
		e.report("share/site.png", e.addSiteCard())
	}
	for _, name := range []string{"about", "terms"} {
		own, err := e.ownText(l, name)
		if err != nil {
			e.report(ownFile(l, name), err)
			if e.keep(fileOf(l, "/"+name+"/")) {
				continue
			}
		}
		pages = append(pages, page{Name: name, Path: "/" + name + "/", Data: own})
	}
	for _, p := range pages {
		if err := e.addTitledPage(l, p); err != nil {
			file := fileOf(l, p.Path)
			e.report(file, err)
			e.keep(file)
		}
	}
}

// addTitledPage sets a page's title, renders the page and adds it to the tree.
func (e *edition) addTitledPage(l locale, p page) (err error) {
	if p.Name == "admin" {
		if p.Description, err = l.say("admin_about"); err != nil {
			return err
		}
	}
	if p.Title, err = e.title(l, p.Name); err != nil {
		return err
	}
	return e.addPage(l, p)
}

// signInChallenge returns the site key of the bot check at the dashboard's sign-in, "" for none.
func (e *edition) signInChallenge() string {
	if !e.config.SignInChallenged() {
		return ""
	}
	return e.config.Reminders.SiteKey
}

// addSiteCard adds the share card for pages that are not about a campaign.
func (e *edition) addSiteCard() error {
	name := e.config.Site.Name
	k := card{name, e.settings.Description, strings.TrimPrefix(strings.TrimPrefix(e.base(), "https://"), "http://"),
		accent(e.settings.Design["color_primary"]), ""}
	f, err := e.shareCard(k)
	if err != nil {
		return err
	}
	return e.tree.put("share/site.png", f)
}

// title returns the title of a page by its template's name. The home page has the site's title.
func (e *edition) title(l locale, name string) (string, error) {
	switch name {
	case "home":
		if e.settings.Title != "" {
			return e.settings.Title, nil
		}
		return e.config.Site.Name, nil
	case "missing":
		name = "not_found"
	}
	return l.say(name + "_title")
}

// ownText returns the operator's Markdown for a page, "" if there is none.
func (e *edition) ownText(l locale, name string) (string, error) {
	file := ownFile(l, name)
	text, err := fs.ReadFile(e.content, file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if err := campaign.CheckEncoding(file, text); err != nil {
		return "", err
	}
	clean, err := richtext.Check(string(text), maxOwnText)
	if err != nil {
		return "", err
	}
	for _, address := range richtext.Images(clean) {
		e.images.useMedia(address)
	}
	return clean, nil
}

// ownFile returns the name of the file with the operator's text for a page.
func ownFile(l locale, name string) string {
	if l.Code != origin {
		name = l.Code + "/" + name
	}
	return "pages/" + name + ".md"
}
