package httpapi

// The words in which schemas are written.

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

// answer is an object that a response always has whole: every field stands,
// but those named optional, and no other.
func answer(fields node, optional ...string) node {
	return node{"type": "object", "properties": fields, "required": without(fields, optional), "additionalProperties": false}
}

// question is an object of a request: only the fields named have to stand.
func question(fields node, required ...string) node {
	n := node{"type": "object", "properties": fields}
	if len(required) > 0 {
		n["required"] = required
	}
	return n
}

// merged is one object's fields and more.
func merged(sets ...node) node {
	all := node{}
	for _, set := range sets {
		for k, v := range set {
			all[k] = v
		}
	}
	return all
}
