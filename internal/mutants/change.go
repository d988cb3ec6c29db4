package main

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// changes maps each kind of mutant to its token replacements. The kinds have the
// names that gremlins, another mutation tester, uses. Its kinds for bitwise
// operators are omitted, because the code has few.
var changes = map[string]map[token.Token]token.Token{
	"ARITHMETIC_BASE": {
		token.ADD: token.SUB,
		token.SUB: token.ADD,
		token.MUL: token.QUO,
		token.QUO: token.MUL,
		token.REM: token.MUL,
	},
	"CONDITIONALS_BOUNDARY": {
		token.LSS: token.LEQ,
		token.LEQ: token.LSS,
		token.GTR: token.GEQ,
		token.GEQ: token.GTR,
	},
	"CONDITIONALS_NEGATION": {
		token.EQL: token.NEQ,
		token.NEQ: token.EQL,
		token.LSS: token.GEQ,
		token.GEQ: token.LSS,
		token.GTR: token.LEQ,
		token.LEQ: token.GTR,
	},
	"INCREMENT_DECREMENT": {
		token.INC: token.DEC,
		token.DEC: token.INC,
	},
	"INVERT_ASSIGNMENTS": {
		token.ADD_ASSIGN: token.SUB_ASSIGN,
		token.SUB_ASSIGN: token.ADD_ASSIGN,
		token.MUL_ASSIGN: token.QUO_ASSIGN,
		token.QUO_ASSIGN: token.MUL_ASSIGN,
	},
	"INVERT_LOGICAL": {
		token.LAND: token.LOR,
		token.LOR:  token.LAND,
	},
	"INVERT_LOOPCTRL": {
		token.BREAK:    token.CONTINUE,
		token.CONTINUE: token.BREAK,
	},
	"REMOVE_SELF_ASSIGNMENTS": {
		token.ADD_ASSIGN: token.ASSIGN,
		token.SUB_ASSIGN: token.ASSIGN,
		token.MUL_ASSIGN: token.ASSIGN,
		token.QUO_ASSIGN: token.ASSIGN,
	},
}

// kinds returns the kinds in order.
func kinds() []string { return slices.Sorted(maps.Keys(changes)) }

// operatorOf returns the token of a node that may be changed, and its position.
func operatorOf(n ast.Node) (token.Token, token.Pos) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Tok, n.TokPos
	case *ast.BinaryExpr:
		return n.Op, n.OpPos
	case *ast.BranchStmt:
		return n.Tok, n.TokPos
	case *ast.IncDecStmt:
		return n.Tok, n.TokPos
	case *ast.UnaryExpr:
		return n.Op, n.OpPos
	}
	return token.ILLEGAL, token.NoPos
}

// kindsOf returns the kinds that change a token, in order.
func kindsOf(t token.Token) []string {
	return slices.DeleteFunc(kinds(), func(kind string) bool {
		return changes[kind][t] == token.ILLEGAL
	})
}
