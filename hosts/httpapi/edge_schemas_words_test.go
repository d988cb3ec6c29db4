package httpapi

// Functions that build schemas.

import "maps"

func integer() node      { return node{"type": "integer"} }
func boolean() node      { return node{"type": "boolean"} }
func instant() node      { return node{"type": "string", "format": "date-time"} }
func list(of node) node  { return node{"type": "array", "items": of} }
func mapOf(of node) node { return node{"type": "object", "additionalProperties": of} }

func cents(about string) node { return node{"type": "integer", "description": about + ", in cents"} }
func dollars(about string) node {
	return node{"type": "integer", "description": about + ", in whole dollars"}
}
func word(of ...string) node { return node{"type": "string", "enum": of} }
func about(n node, description string) node {
	n["description"] = description
	return n
}

func orNull(n node) node { return node{"oneOf": []node{{"type": "null"}, n}} }

// answer is a response object: all fields are required except the optional ones, and no others are
// allowed.
func answer(fields node, optional ...string) node {
	return node{"type": "object", "properties": fields, "required": without(fields, optional),
		"additionalProperties": false}
}

// question is a request object: only the named fields are required.
func question(fields node, required ...string) node {
	n := node{"type": "object", "properties": fields}
	if len(required) > 0 {
		n["required"] = required
	}
	return n
}

// merged is an object with the fields of all given sets.
func merged(sets ...node) node {
	all := node{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// segment is the part of a campaign's supporters in a request.
func segment() node {
	return about(question(node{
		"rewards": about(list(text()), "IDs of rewards"), "statuses": list(word("active", "payment_failed", "charged")),
		"countries": about(list(text()), "Two letters, of the shipping address"), "languages": list(word("en", "es")),
	}), "Narrows the recipients to supporters with a pledge that matches all lists; an empty list matches all")
}

// storedSegment is the part of a campaign's supporters in an answer.
func storedSegment() node {
	return answer(node{"rewards": list(text()), "statuses": list(text()), "countries": list(text()),
		"languages": list(text())}, "rewards", "statuses", "countries", "languages")
}

// groups are the supporters by one value.
func groups() node {
	return about(list(answer(node{"value": text(), "supporterCount": integer()})),
		"Values that supporters have, largest group first")
}
