package httpapi

import "github.com/pledgeworks/pledgeworks/admin/access"

func contentSchemas() node {
	value := func(what string) node { return node{"description": what} }
	problem := answer(node{
		"file": text(), "line": about(integer(), "From 1; 0 where no line is at fault"), "field": text(), "message": text(),
	}, "field")
	author := answer(node{"name": text(), "email": text()})
	conflict := answer(node{
		"path": text(), "was": value("What the editor saw"), "is": value("What the file has now"), "want": value("What the editor wants"),
		"by": about(author, "Who changed it, where that is known"), "at": instant(),
	}, "was", "is", "want", "by", "at")
	change := answer(node{
		"path": text(), "before": value("As the file has it"), "after": value("As it shall be"),
		"words":   about(text(), "The change in words, such as: goal: $25,000 to $31,000"),
		"promise": about(boolean(), "Supporters who have pledged rely on what was there"),
	}, "before", "after")
	edit := question(node{
		"path":  about(text(), "Such as goal_amount, tiers[early-bird].price, tiers[] for a new one, or body"),
		"was":   value("The value that the editor saw, in the file's units; left out for none"),
		"value": value("What it shall be; left out or null to remove it"),
	}, "path")
	file := node{"file": about(text(), "Its path in the repository"), "base": about(text(), "The SHA of its bytes, as Git has it")}
	id := about(text(), "The change's identity, at most 64 letters, digits and hyphens: what is sent again with it is done once")
	created := merged(file, node{"slug": text(), "revision": about(text(), "The commit")})
	return merged(descriptionSchemas(), mediaSchemas(), fulfilmentSchemas(), node{
		"ContentFile": answer(merged(file, node{
			"fields":   node{"type": "object", "description": "The file's own names and units; its Markdown is under body", "additionalProperties": true},
			"problems": list(problem), "publishable": about(boolean(), "There is a repository to publish to"),
		}), "problems"),
		"ReportReaders": answer(node{"readers": list(answer(node{
			"email": text(), "listed": about(boolean(), "It is in runner_report_emails"), "excluded": about(boolean(), "It is in runner_report_excluded_emails"),
			"reports":     about(list(word("pledges", "fulfillment")), "What the address may get, as a user's or because it is confirmed"),
			"confirmedBy": about(text(), "The super admin's address; left out for the admin secret"), "confirmedAt": instant(),
		}, "confirmedBy", "confirmedAt"))}),
		"ReportReaderRequest": question(node{"campaignSlug": text(), "email": text()}, "campaignSlug", "email"),
		"ContentDraft": question(node{
			"campaignSlug": about(text(), "Of a campaign's file"), "edits": list(edit), "changeId": id,
			"reason": about(text(), "Why, for supporters: at most 500 characters"),
		}, "edits"),
		"ContentReview": answer(node{
			"base": text(), "changes": list(change), "problems": list(problem), "conflicts": list(conflict), "warnings": list(problem),
			"pledges":     about(integer(), "Those made under what the file says now"),
			"needsReason": boolean(), "publishable": boolean(),
		}, "problems", "conflicts", "warnings"),
		"ContentPublished": answer(node{"revision": about(text(), "The commit; left out where nothing was to be changed"), "base": text(), "changes": list(change)}, "revision"),
		"ContentHistory": answer(node{"versions": list(answer(node{
			"revision": text(), "parent": text(), "author": author, "at": instant(), "message": text(),
			"trailers": list(answer(node{"key": text(), "value": text()})), "changes": list(change),
		}, "parent", "trailers"))}),
		"ContentUndo": question(node{"campaignSlug": text(), "revision": about(text(), "The commit to take back"), "reason": text(), "changeId": id}, "revision"),
		"CampaignRequest": question(node{
			"title": text(), "changeId": id,
			"users": about(list(question(node{"email": text(), "name": about(text(), "Of a new one")}, "email")), "Who may edit it, at most 20"),
		}, "title"),
		"CampaignCopy":    question(node{"campaignSlug": text(), "title": text(), "changeId": id}, "campaignSlug", "title"),
		"CampaignCreated": answer(merged(created, node{"users": list(text())})),
		"LaunchList": answer(node{
			"slug": text(), "ready": boolean(), "items": list(answer(node{"key": text(), "done": boolean(), "words": text()})),
			"starts": about(text(), "Such as Monday, November 2, 2026, 00:00:00 MST; empty for none"), "ends": text(), "days": integer(),
			"freezes": about(list(text()), "What supporters rely on from the first pledge on"),
		}),
		"PreviewRequest": question(node{
			"campaignSlug": text(), "base": about(text(), "The SHA of the campaign's file as it was seen"), "changeId": id, "preferredLang": about(text(), "en or es"),
			"reviewers": about(list(text()), "At most 20 addresses, beside one's own"),
		}, "campaignSlug", "base"),
		"PreviewPublished": answer(node{
			"link": about(text(), "The publisher's own"), "expiresAt": instant(), "reviewers": about(list(text()), "Those who were mailed a link"),
			"base": text(), "revision": about(text(), "The commit; left out where the file said already that there are previews"),
		}, "revision"),
		"CampaignPreview": answer(node{
			"campaignSlug": text(), "title": text(), "html": about(text(), "The whole page, without scripts, for a sandboxed frame"),
			"expiresAt": about(instant(), "When the reviewer's link ends; left out for who is signed in"),
		}, "expiresAt"),
		"PreviewReviewers": answer(node{"emails": list(text()), "until": instant()}, "until"),
		"PageRequest":      question(node{"campaignSlug": text(), "edits": list(edit), "preferredLang": about(text(), "en or es")}, "campaignSlug", "edits"),
		"DrawnPage":        answer(node{"html": about(text(), "The whole page, without scripts, for a sandboxed frame")}),
		"NewsTestRequest": question(node{
			"campaignSlug": text(), "subject": text(), "body": about(text(), "Markdown"), "ctaLabel": text(), "ctaUrl": text(), "preferredLang": about(text(), "en or es"), "changeId": id,
		}, "campaignSlug", "subject", "body"),
		"NewsTested": answer(node{"email": about(text(), "One's own address")}),
		"SentNews": answer(node{
			"sent": list(answer(node{
				"n": about(integer(), "From 1, in the order in which they were sent"), "id": about(text(), "Of the broadcast"), "category": word("announcement", "blast"),
				"subject": text(), "body": about(text(), "Markdown"), "ctaLabel": text(), "ctaUrl": text(), "sentAt": instant(),
				"phase": word("drafting", "sending", "paused", "stopped", "done"), "recipientCount": integer(),
				"states": about(node{"type": "object", "additionalProperties": integer()}, "Recipients by what became of their mails"),
			})),
			"next": about(integer(), "The cursor of what was sent before; 0 where that is all"),
		}),
		"SecretStatuses": answer(node{"secrets": list(answer(node{"name": text(), "configured": boolean()}))}),
		"Amendments": answer(node{
			"known": about(boolean(), "False where what was pledged to is not found any more"),
			"changes": list(answer(node{
				"at": instant(), "kind": word("goal", "deadline", "reward"), "name": about(text(), "The reward's"),
				"field":  about(text(), "The reward's field; left out where it is no more"),
				"before": about(text(), "Left out where it is too long for a line"), "after": text(), "reason": text(),
			}, "name", "field", "before", "after", "reason")),
		}),
		"CampaignArchival": question(node{"campaignSlug": text(), "changeId": id}, "campaignSlug"),
		"ArchiveManifest": answer(node{
			"slug": text(), "title": text(), "archivedAt": instant(),
			"moved":  list(answer(node{"from": text(), "to": text(), "sha": text()})),
			"shared": about(list(text()), "Files that others name too: they stay where they are"),
		}),
	})
}

func descriptionSchemas() node {
	choice := answer(node{"value": text(), "label": text()})
	permission := word(append(words(access.Permissions), string(access.Platform))...)
	fields := node{
		"path":  about(text(), "Where it stands, as edits name it; below an entry of a list relative to the entry"),
		"kind":  about(text(), "text, markdown, money, integer, decimal, percent, rate, datetime, month, boolean, choice, choices, integers, emails, email, sender, url, media, color, country, countries, timezone, objects or blocks"),
		"label": text(), "help": text(),
		"required": boolean(), "requiredWhenPublic": about(boolean(), "Campaigns that everybody sees need it"),
		"requiredTogether": about(boolean(), "Needed where another field stands whose path begins alike, as in shipping.weight_oz"),
		"minLength":        integer(), "maxLength": about(integer(), "In characters, or in entries of a list"),
		"min": about(node{"type": "number"}, "Of money in cents; the file has dollars"), "max": node{"type": "number"},
		"step": about(integer(), "What a number goes up by; of money in cents"), "pattern": about(text(), "A regular expression"), "choices": list(choice),
		"default": node{"description": "What holds where nothing is written; of money in cents"}, "unit": text(),
		"promise":   about(boolean(), "Supporters who have pledged rely on it: it takes a reason to change it then"),
		"onlyTypes": about(list(text()), "The values of the entry's type that have it; left out for all"),
		"identity":  about(text(), "The field of an entry that its ID follows from"),
		"read":      about(list(permission), "The permissions that it takes to see the field, all of them; platform is a super admin's"),
		"write":     about(list(permission), "Those that it takes to change it; empty for a field that is changed in the repository alone"),
		"fields":    list(ref("ContentField")), "new": node{"description": "How an entry of the list begins"},
	}
	section := answer(node{
		"key": text(), "label": text(),
		"fields": about(list(ref("ContentField")), "None where the section is of something else than the file"),
	})
	return node{
		"ContentField":       answer(fields, without(fields, []string{"path", "kind", "label", "read", "write"})...),
		"ContentDescription": answer(node{"of": text(), "sections": list(section)}),
	}
}
