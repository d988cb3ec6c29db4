package httpapi

func mediaSchemas() node {
	file := node{
		"path": about(text(), "As campaigns name it, such as /assets/images/campaigns/paper-boat/boat.jpg"),
		"sha":  about(text(), "Of its bytes, as Git has it"), "size": about(integer(), "In bytes"),
	}
	bytes := func() node { return about(integer(), "In bytes") }
	return node{
		"MediaStored": answer(merged(file, node{
			"type": about(text(), "Its media type"), "width": about(integer(), "Of a picture as it is seen, in pixels"), "height": integer(),
			"revision": about(text(), "The commit; left out where the file was there already"),
		}), "width", "height", "revision"),
		"MediaGrant": answer(node{
			"method": word("PUT"), "url": about(text(), "Where the file is sent, with a signature: whoever has it can send the file"),
			"header":    about(answer(node{"Content-Type": text()}), "To be sent with it"),
			"expiresAt": about(instant(), "By then it has to have begun"),
		}),
		"MediaListing": answer(node{
			"files": list(answer(merged(file, node{
				"kind": word("image", "audio", "video"), "usedBy": about(list(text()), "The files that name it, as they are served"),
			}))),
			"direct": about(boolean(), "Films and recordings go to the store, by POST /admin/media/grant and /take"),
			"limits": about(answer(node{"image": bytes(), "audio": bytes(), "video": bytes()}), "How large uploads may be here"),
		}),
		"MediaRemoval": question(node{
			"campaignSlug": text(), "paths": about(list(text()), "1 to 200 of its files"),
			"changeId": about(text(), "The change's identity, at most 64 letters, digits and hyphens"),
		}, "campaignSlug", "paths"),
		"MediaRemoved": answer(node{
			"removed":  about(list(text()), "They are not there any more"),
			"kept":     list(answer(node{"path": text(), "why": word("elsewhere", "used", "by_hand")})),
			"revision": about(text(), "The commit; left out where there was nothing to remove"),
		}, "revision"),
	}
}
