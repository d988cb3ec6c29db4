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

// answer is the schema of a response object: all fields are required except the optional ones, and
// no others are allowed.
func answer(fields node, optional ...string) node {
	return node{"type": "object", "properties": fields, "required": without(fields, optional),
		"additionalProperties": false}
}

// question is the schema of a request object: only the named fields are required.
func question(fields node, required ...string) node {
	n := node{"type": "object", "properties": fields}
	if len(required) > 0 {
		n["required"] = required
	}
	return n
}

// merged is a set of fields that contains all fields of the given sets.
func merged(sets ...node) node {
	all := node{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// segment is a request's selection of a campaign's supporters.
func segment() node {
	return about(question(node{
		"rewards": about(list(text()), "IDs of rewards"), "statuses": list(word("active", "payment_failed", "charged")),
		"countries": about(list(text()), "Two letters, of the shipping address"), "languages": list(word("en", "es")),
	}), "Narrows the recipients to supporters with a pledge that matches all lists; an empty list matches all")
}

// storedSegment is a segment in a response.
func storedSegment() node {
	return answer(node{"rewards": list(text()), "statuses": list(text()), "countries": list(text()),
		"languages": list(text())}, "rewards", "statuses", "countries", "languages")
}

// groups is a response list that counts the supporters for each value of one property.
func groups() node {
	return about(list(answer(node{"value": text(), "supporterCount": integer()})),
		"Values that supporters have, largest group first")
}
