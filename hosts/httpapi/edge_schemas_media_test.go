package httpapi

func mediaSchemas() node {
	file := node{
		"path": about(text(), "Path as in campaign files, such as /assets/images/campaigns/paper-boat/boat.jpg"),
		"sha":  about(text(), "Git blob SHA"), "size": about(integer(), "In bytes"),
	}
	bytes := func() node { return about(integer(), "In bytes") }
	return node{
		"MediaStored": answer(merged(file, node{
			"type": about(text(), "Its media type"), "width": about(integer(), "Width of a picture as displayed, in pixels"),
			"height":   integer(),
			"revision": about(text(), "Commit; omitted if the file already existed"),
		}), "width", "height", "revision"),
		"MediaGrant": answer(node{
			"method": word("PUT"), "url": about(text(), "Signed upload URL; anyone with the URL can upload the file"),
			"header":    about(answer(node{"Content-Type": text()}), "Required headers"),
			"expiresAt": about(instant(), "Deadline for the start of the upload"),
		}),
		"MediaListing": answer(node{
			"files": list(answer(merged(file, node{
				"kind": word("image", "audio", "video"), "usedBy": about(list(text()), "Files that use it, in the served version"),
			}))),
			"direct": about(boolean(),
				"Videos and recordings are uploaded to the media store, with POST /admin/media/grant and /take"),
			"limits": about(answer(node{"image": bytes(), "audio": bytes(), "video": bytes()}), "Upload limits of this host"),
		}),
		"MediaRemoval": question(node{
			"campaignSlug": text(), "paths": about(list(text()), "1 to 200 of its files"),
			"changeId": about(text(), "ID of the change, at most 64 letters, digits and hyphens"),
		}, "campaignSlug", "paths"),
		"MediaRemoved": answer(node{
			"removed":  about(list(text()), "Deleted files"),
			"kept":     list(answer(node{"path": text(), "why": word("elsewhere", "used", "by_hand")})),
			"revision": about(text(), "Commit; omitted if nothing was deleted"),
		}, "revision"),
	}
}
