package httpapi

import "github.com/pledgeworks/pledgeworks/admin/access"

func contentSchemas() node {
	value := func(what string) node { return node{"description": what} }
	place := node{
		"label":    about(text(), "Label of the field, or the kind of entry for an entry as a whole"),
		"item":     about(text(), "Name of the list entry that the field belongs to"),
		"tabLabel": about(text(), "Label of the dashboard's tab"),
		"place": answer(node{
			"tab": text(), "section": about(text(), "Group within the tab"),
			"list":  about(text(), "List that the field's entry is in"),
			"item":  about(text(), "ID of the entry, or its index if it has none"),
			"part":  about(text(), "ID or index of an entry within the entry, such as a variant"),
			"field": about(text(), "Path within the entry; omitted for an entry as a whole"),
		}, "section", "list", "item", "part", "field"),
	}
	problem := answer(merged(place, node{
		"file": text(), "line": about(integer(), "From 1; 0 if the problem is not in one line"),
		"field":   about(text(), "Path in the file"),
		"message": about(text(), "For authors of the file, in English"),
		"words":   about(text(), "A sentence for people, with the field's label and without paths"),
	}), "field", "item")
	author := answer(node{"name": text(), "email": text()})
	conflict := answer(merged(place, node{
		"path": text(), "was": value("The value that the editor saw"),
		"is":   value("The file's current value; to keep the draft's value, submit the edit with this as was"),
		"want": value("The editor's new value"),
		"by":   about(author, "Author, if known"), "at": instant(),
		"wasText": about(text(), "The value as people read it"), "isText": text(), "wantText": text(),
	}), "was", "is", "want", "by", "at", "item", "wasText", "isText", "wantText")
	affected := answer(node{
		"supporters": about(integer(), "People who pledged under the old value: of a goal or deadline, all of the campaign"),
		"units":      about(integer(), "Claimed units of the reward, add-on or variant"),
		"amount":     about(integer(), "Cents pledged to the support item"),
		"words":      about(text(), "A sentence for the author"),
	}, "supporters", "units", "amount")
	change := answer(merged(place, node{
		"path": text(), "before": value("As the file has it; of a moved list, the IDs of its entries"),
		"after":   value("As it shall be"),
		"words":   about(text(), "The change in English, as in the commit's message"),
		"promise": about(boolean(), "Supporters rely on the field once they have pledged"),
		"action": about(word("set", "added", "removed", "moved"),
			"set: a field; added, removed: an entry of a list; moved: the order of a list"),
		"beforeText": about(text(),
			"The value as people read it: with currency, or weekday and zone; of texts and blocks, the words"),
		"afterText": text(),
		"affected":  about(affected, "Who relies on the old value; omitted if no supporter does, and in histories"),
	}), "before", "after", "item", "beforeText", "afterText", "affected")
	edit := question(node{
		"path":  about(text(), "Such as goal_amount, tiers[early-bird].price, tiers[] for a new one, or body"),
		"was":   value("The value that the editor saw, in the file's units; omitted if there was none"),
		"value": value("New value; omitted or null to remove it"),
	}, "path")
	file := node{"file": about(text(), "Path in the repository"), "base": about(text(), "Git blob SHA")}
	id := about(text(),
		"ID of the change, at most 64 letters, digits and hyphens; repeated requests with the same ID are applied once")
	created := merged(file, node{"slug": text(), "revision": about(text(), "The commit")})
	return merged(descriptionSchemas(), mediaSchemas(), fulfilmentSchemas(), refundSchemas(), node{
		"ContentFile": answer(merged(file, node{
			"fields": node{"type": "object", "description": "The file's own names and units; its Markdown is under body",
				"additionalProperties": true},
			"problems": list(problem), "publishable": about(boolean(), "There is a repository to publish to"),
			"visibility": about(word("public", "preview", "hidden"),
				"Of a campaign, by all flags of its file; an edit of the field visibility replaces them"),
		}), "problems", "visibility"),
		"ReportReaders": answer(node{"readers": list(answer(node{
			"email": text(), "listed": about(boolean(), "Listed in runner_report_emails"),
			"excluded": about(boolean(), "Listed in runner_report_excluded_emails"),
			"reports": about(list(word("pledges", "fulfillment")),
				"Reports that the address may get, as a user's address or a confirmed one"),
			"confirmedBy": about(text(), "Address of the super admin; omitted for the admin secret"), "confirmedAt": instant(),
		}, "confirmedBy", "confirmedAt"))}),
		"ReportReaderRequest": question(node{"campaignSlug": text(), "email": text()}, "campaignSlug", "email"),
		"ContentDraft": question(node{
			"campaignSlug": about(text(), "Of a campaign's file"), "edits": list(edit), "changeId": id,
			"reason": about(text(), "Reason shown to supporters, at most 500 characters"),
		}, "edits"),
		"ContentReview": answer(node{
			"base": about(text(), "SHA of the current file"), "changes": list(change), "problems": list(problem),
			"conflicts": list(conflict), "warnings": list(problem),
			"current": about(text(), "SHA of the current file, if there are problems or conflicts"),
			"pledges": about(integer(), "Pledges of the campaign"),
			"needsReason": about(boolean(),
				"Supporters rely on the old value of a change, so publishing needs a reason that they can read"),
			"publishable": boolean(),
		}, "problems", "conflicts", "warnings", "current"),
		"ContentRefusal": answer(node{
			"problems": list(problem), "conflicts": list(conflict), "current": about(text(), "SHA of the current file"),
		}, "problems", "conflicts", "current"),
		"ContentPublished": answer(node{"revision": about(text(), "Commit; omitted if nothing changed"),
			"base": text(), "changes": list(change)}, "revision"),
		"ContentHistory": answer(node{"versions": list(answer(node{
			"revision": text(), "parent": text(), "author": author, "at": instant(), "message": text(),
			"trailers": list(answer(node{"key": text(), "value": text()})), "changes": list(change),
		}, "parent", "trailers"))}),
		"ContentUndo": question(node{"campaignSlug": text(), "revision": about(text(), "Commit to undo"),
			"reason": text(), "changeId": id}, "revision"),
		"CampaignRequest": question(node{
			"title": text(), "changeId": id, "slug": about(text(),
				"Last part of the page's address: lower-case letters, digits and hyphens; derived from the title if empty"),
			"users": about(list(question(node{"email": text(), "name": about(text(), "Name of a new user")}, "email")),
				"Users with access, at most 20"),
		}, "title"),
		"CampaignCopy": question(node{"campaignSlug": text(), "title": text(), "changeId": id, "slug": about(text(),
			"Last part of the copy's address; derived from the title if empty")}, "campaignSlug", "title"),
		"CampaignCreated": answer(merged(created, node{"users": list(text())})),
		"LaunchList":      launchList(), "Claims": claims(),
		"LaunchRequest": question(node{"base": about(text(),
			"SHA of the file that the caller has seen; not needed in a dry run"), "changeId": id, "dryRun": boolean()}),
		"Launched": answer(node{"dryRun": boolean(), "launch": about(ref("LaunchList"), "In a dry run"),
			"published": about(ref("ContentPublished"), "Otherwise")}, "launch", "published"),
		"WithdrawRequest": question(node{
			"visibility": word("hidden", "preview"), "reason": about(text(),
				"Required if the campaign has pledges, at most 500 characters"), "changeId": id, "dryRun": boolean(),
		}, "visibility"),
		"Withdrawn": answer(node{"dryRun": boolean(), "review": about(ref("ContentReview"), "In a dry run"),
			"published": about(ref("ContentPublished"), "Otherwise")}, "review", "published"),
		"PreviewRequest": question(node{
			"campaignSlug": text(), "base": about(text(), "SHA of the campaign file on which the change is based"),
			"changeId": id, "preferredLang": about(text(), "en or es"),
			"reviewers": about(list(text()), "At most 20 addresses, not counting the caller's"),
		}, "campaignSlug", "base"),
		"PreviewPublished": answer(node{
			"link": about(text(), "Link for the caller"), "expiresAt": instant(),
			"reviewers": about(list(text()), "Reviewers who were emailed a link"),
			"base":      text(), "revision": about(text(), "Commit; omitted if the file already enabled previews"),
		}, "revision"),
		"CampaignPreview": answer(node{
			"campaignSlug": text(), "title": text(),
			"html":      about(text(), "The whole page, without scripts, for a sandboxed frame"),
			"expiresAt": about(instant(), "Expiry of the reviewer's link; omitted for signed-in users"),
		}, "expiresAt"),
		"PreviewReviewers": answer(node{"emails": list(text()), "until": instant()}, "until"),
		"PageRequest": question(node{"campaignSlug": text(), "edits": list(edit),
			"preferredLang": about(text(), "en or es")}, "campaignSlug", "edits"),
		"DrawnPage": answer(node{"html": about(text(), "The whole page, without scripts, for a sandboxed frame")}),
		"NewsTestRequest": question(node{
			"campaignSlug": text(), "subject": text(), "body": about(text(), "Markdown"), "ctaLabel": text(),
			"ctaUrl": text(), "preferredLang": about(text(), "en or es"), "changeId": id,
		}, "campaignSlug", "subject", "body"),
		"NewsPreview": answer(node{"subject": text(), "from": text(),
			"html": about(text(), "The whole email, for a sandboxed frame"), "text": about(text(), "The email as plain text")}),
		"NewsAudience": answer(node{
			"recipientCount": about(integer(), "Supporters in the segment, including those who unsubscribed"),
			"supporterCount": about(integer(), "All supporters of the campaign"),
			"rewards":        groups(), "statuses": groups(), "countries": groups(), "languages": groups(),
			"rewardNames": about(mapOf(text()), "Names of the rewards by ID"),
		}),
		"NewsTested": answer(node{"email": about(text(), "Address of the caller")}),
		"SentNews": answer(node{
			"sent": list(answer(node{
				"n": about(integer(), "From 1, in the order of sending"), "id": about(text(), "Of the broadcast"),
				"category": word("announcement", "blast"),
				"subject":  text(), "body": about(text(), "Markdown"), "ctaLabel": text(), "ctaUrl": text(), "sentAt": instant(),
				"phase": word("drafting", "sending", "paused", "stopped", "done"), "recipientCount": integer(),
				"states": about(node{"type": "object", "additionalProperties": integer()},
					"Recipients by the state of their emails"),
				"segment":  about(storedSegment(), "Part of the supporters who got it; omitted for all"),
				"changeId": about(text(), "ID of the request that sent it"),
				"delivery": answer(node{
					"sent":      about(integer(), "Recipients whose email the provider accepted"),
					"delivered": about(integer(), "Sent, and neither bounced nor marked as spam"),
					"bounced":   integer(), "complained": about(integer(), "Marked as spam"),
					"withheld": about(integer(), "Not sent, because the address is suppressed"), "pending": integer(),
				}),
			}, "segment", "changeId")),
			"next": about(integer(), "Cursor of the next page; 0 on the last"),
		}),
		"Answers": answer(node{"decisions": list(answer(node{
			"id": text(), "title": text(), "total": about(integer(), "Supporters who have answered"),
			"options": about(node{"type": "object", "additionalProperties": integer()},
				"Supporters by the answer that they chose"),
		}))}),
		"DiaryMails": answer(node{"entries": list(answer(node{
			"entryId": text(), "title": text(), "date": about(text(), "Day, such as 2026-11-03"),
			"recipientCount": about(integer(), "0 if it was not emailed"),
			"phase": about(word("sending", "paused", "stopped", "done"),
				"Status of the entry's emails; omitted if the entry was not emailed"),
		}, "phase"))}),
		"SecretStatuses": answer(node{"secrets": list(answer(node{"name": text(), "configured": boolean()}))}),
		"Amendments": answer(node{
			"known": about(boolean(), "False if the original version is no longer available"),
			"changes": list(answer(node{
				"at": instant(), "kind": word("goal", "deadline", "reward"), "name": about(text(), "Name of the reward"),
				"field":  about(text(), "Field of the reward; omitted if it was removed"),
				"before": about(text(), "Omitted if it is too long for a line"), "after": text(), "reason": text(),
			}, "name", "field", "before", "after", "reason")),
		}),
		"CampaignArchival": question(node{"campaignSlug": text(), "changeId": id}, "campaignSlug"),
		"ArchiveManifest": answer(node{
			"slug": text(), "title": text(), "archivedAt": instant(),
			"moved":  list(answer(node{"from": text(), "to": text(), "sha": text()})),
			"shared": about(list(text()), "Files that are also used elsewhere and stay where they are"),
		}),
	})
}

func descriptionSchemas() node {
	choice := answer(node{"value": text(), "label": text()})
	permission := word(append(words(access.Permissions), string(access.Platform))...)
	fields := node{
		"path": about(text(), "Path as in edits; relative to the entry for entries of a list"),
		"kind": about(text(),
			"text, markdown, money, integer, decimal, percent, rate, datetime, month, boolean, choice, choices, integers, emails, texts, email, sender, url, media, color, country, countries, timezone, objects or blocks"),
		"label": text(), "help": text(),
		"required": boolean(), "requiredWhenPublic": about(boolean(), "Required for public campaigns"),
		"requiredTogether": about(boolean(),
			"Required if another field with the same prefix is set, as in shipping.weight_oz"),
		"minLength": integer(), "maxLength": about(integer(), "In characters, or entries of a list"),
		"min": about(node{"type": "number"},
			"In cents for money; the file has dollars. In characters of an entry for texts"),
		"max":     node{"type": "number"},
		"step":    about(integer(), "Step of a number; in cents for money"),
		"pattern": about(text(), "A regular expression"), "choices": list(choice),
		"default": node{"description": "Value that applies if the file has none; in cents for money"},
		"inherits": about(text(),
			"Setting, or field of the parent, that applies if the file has no value; default is the setting's value"),
		"choicesFrom": about(text(), "List whose entries' IDs are the choices, such as tiers"),
		"unit":        about(text(), "USD, oz, in, days, s, ms or hour"),
		"section":     about(text(), "Key of the group that the field is shown in; omitted for the first part of the form"),
		"control": about(text(),
			"Input for the field: text, longtext, richtext, blocks, money, percent (also of a fraction), integer, decimal, datetime, month, duration, days, toggle, choice, choices, country, countries, timezone, color, email, emails, lines, sender, url, image, media, length, slug, variants, list or hidden"),
		"onlyIf": about(list(answer(node{
			"field": about(text(), "Field of the same object"),
			"is":    about(list(text()), "Values of that field; empty text stands for none, and * for any"),
		})), "Conditions under which the field applies, all of them"),
		"locked": about(answer(node{
			"rule": about(word("readOnly", "computed", "started", "pledged", "claimed"),
				"readOnly and computed: always, do not send the field; started: once the campaign is public and has started; pledged: once it has pledges; claimed: once supporters have chosen the entry"),
			"reason": about(boolean(), "It can be changed with a reason that supporters can read"), "words": text(),
		}, "reason"), "When and why the field cannot be changed"),
		"promise":   about(boolean(), "Supporters rely on it: changing it after the first pledge requires a reason"),
		"onlyTypes": about(list(text()), "Entry types that have the field; omitted for all"),
		"identity":  about(text(), "Field from which an entry's ID is derived"),
		"read":      about(list(permission), "Permissions required to see the field; platform requires a super admin"),
		"write": about(list(permission),
			"Permissions required to change the field; empty if it can only be changed in the repository"),
		"fields": list(ref("ContentField")), "new": node{"description": "Initial value of a list entry"},
	}
	section := answer(node{
		"key": text(), "label": text(),
		"groups": about(list(answer(node{"key": text(), "label": text(), "help": text()}, "help")),
			"Headings that the fields are arranged under"),
		"fields": about(list(ref("ContentField")), "Empty if the section is not about the file"),
	}, "groups")
	return node{
		"ContentField": answer(fields,
			without(fields, []string{"path", "kind", "label", "control", "read", "write"})...),
		"ContentDescription": answer(node{"of": text(), "sections": list(section)}),
	}
}

func launchList() node {
	return answer(node{
		"slug": text(), "title": text(), "base": about(text(), "SHA of the file, to launch this version"),
		"visibility": word("public", "preview", "hidden"),
		"ready":      about(boolean(), "Every item that is not optional is done"),
		"left":       about(integer(), "Items to do that are not optional"),
		"items": list(answer(node{
			"key": text(), "done": boolean(),
			"state":    about(word("todo", "done", "blocked"), "blocked: something else has to be done first"),
			"optional": about(boolean(), "The campaign can be launched without it"), "words": text(),
			"place": about(answer(node{"tab": text(), "section": text(), "field": text()}, "section", "field"),
				"Field that completes the item"),
		}, "optional", "place")),
		"goal": about(integer(), "In cents"),
		"starts": about(text(),
			"Such as Monday, November 2, 2026, 12:00 AM MST; empty if the campaign starts when it is launched"),
		"ends":     about(text(), "Last minute of the deadline; empty for none"),
		"startsAt": instant(), "endsAt": about(instant(), "First moment after the deadline"), "days": integer(),
		"rewards": list(answer(node{"id": text(), "name": text(), "price": about(integer(), "In cents"),
			"limit": about(integer(), "Omitted for no limit")}, "limit")),
		"fixed": about(list(text()), "What can no longer change after the launch"),
		"freezes": about(list(text()),
			"What supporters rely on after their first pledge; changes need a reason that they can read"),
	}, "startsAt", "endsAt")
}

func claims() node {
	claim := node{
		"id": text(), "name": about(text(), "Empty if it is no longer in the file"), "claimed": about(integer(), "Units"),
		"reserved": about(integer(), "Units in a checkout that is not complete"),
		"limit":    about(node{"type": []string{"integer", "null"}}, "Units; null for no limit"),
		"left":     about(node{"type": []string{"integer", "null"}}, "Units; null for no limit"),
		"sum":      about(integer(), "Claimed units at the current price, in cents"),
	}
	return answer(node{
		"pledges": integer(), "supporters": integer(), "pledged": about(integer(), "Cents toward the goal"),
		"rewards": about(integer(), "Cents pledged for rewards and add-ons"),
		"custom":  about(integer(), "Cents pledged without a reward"),
		"tiers":   list(answer(claim)),
		"addOns":  list(answer(merged(claim, node{"variants": list(answer(claim))}), "variants")),
		"supportItems": list(answer(node{"id": text(), "name": text(), "pledged": about(integer(), "In cents"),
			"targetAmount": about(integer(), "In cents; omitted for none")}, "targetAmount")),
	})
}
