package postgreskv

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// rows are what a statement returns, as they arrive.
type rows struct {
	reader *pgconn.ResultReader
	conn   *conn
}

// each reads row by row into the same places and calls do after each.
func (r *rows) each(into []any, do func() error) error {
	for r.reader.NextRow() {
		err := r.scan(into...)
		if err == nil {
			err = do()
		}
		if err != nil {
			_, _ = r.reader.Close()
			return err
		}
	}
	return r.close()
}

func (r *rows) close() error {
	_, err := r.reader.Close()
	return r.conn.noted(err)
}

// scan copies the row's columns: numbers, texts, bytes, and nil for null where the place
// is a pointer.
func (r *rows) scan(into ...any) error {
	values := r.reader.Values()
	if len(values) != len(into) {
		return fmt.Errorf("%d columns for %d places", len(values), len(into))
	}
	for i, place := range into {
		if err := decode(values[i], place); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func decode(v []byte, place any) (err error) {
	switch place := place.(type) {
	case *[]byte:
		if *place = nil; v != nil {
			*place = append([]byte{}, v...)
		}
		return nil
	case **string:
		if *place = nil; v != nil {
			s := string(v)
			*place = &s
		}
		return nil
	case **int64:
		if *place = nil; v != nil {
			n, err := number(v)
			*place = &n
			return err
		}
		return nil
	}
	if v == nil {
		return fmt.Errorf("null for a %T", place)
	}
	var n int64
	switch place := place.(type) {
	case *string:
		*place = string(v)
	case *bool:
		*place = len(v) == 1 && v[0] == 1
	case *int:
		n, err = number(v)
		*place = int(n)
	case *version:
		n, err = number(v)
		*place = version(n)
	default:
		err = fmt.Errorf("nothing is read into a %T", place)
	}
	return err
}

// number reads an integer or a bigint.
func number(v []byte) (int64, error) {
	switch len(v) {
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v))), nil //nolint:gosec // two's complement, as it was sent
	case 8:
		return int64(binary.BigEndian.Uint64(v)), nil //nolint:gosec // two's complement, as it was sent
	}
	return 0, fmt.Errorf("a number of %d bytes", len(v))
}

// Types of an array's elements, as the database numbers them.
const (
	byteaOID = 17
	int8OID  = 20
	textOID  = 25
)

// encode writes a statement's parameters: numbers as text, of whatever width the
// statement takes, and what else there is in the database's own form.
func encode(args []any) (values [][]byte, formats []int16, err error) {
	for _, a := range args {
		format := binaryFormat
		var v []byte
		switch a := a.(type) {
		case string:
			v = []byte(a)
		case int:
			v, format = strconv.AppendInt(nil, int64(a), 10), textFormat
		case int64:
			v, format = strconv.AppendInt(nil, a, 10), textFormat
		case version:
			v, format = strconv.AppendInt(nil, int64(a), 10), textFormat
		case []string:
			v = array(textOID, a, func(to []byte, s string) []byte { return append(to, s...) })
		case [][]byte:
			v = array(byteaOID, a, func(to, b []byte) []byte { return append(to, b...) })
		case []*int64:
			v = array(int8OID, a, func(to []byte, n *int64) []byte {
				if n == nil {
					return nil
				}
				return binary.BigEndian.AppendUint64(to, uint64(*n)) //nolint:gosec // two's complement, as it is read
			})
		default:
			return nil, nil, fmt.Errorf("a %T is no parameter", a)
		}
		values, formats = append(values, v), append(formats, format)
	}
	return values, formats, nil
}

// array writes one dimension of elements; nil for one is null.
func array[T any](oid uint32, all []T, element func(to []byte, v T) []byte) []byte {
	be := binary.BigEndian
	if len(all) == 0 {
		return be.AppendUint32(be.AppendUint32(be.AppendUint32(nil, 0), 0), oid)
	}
	out := be.AppendUint32(be.AppendUint32(nil, 1), 1) // one dimension, which may have nulls
	out = be.AppendUint32(out, oid)
	out = be.AppendUint32(be.AppendUint32(out, uint32(len(all))), 1) //nolint:gosec // far fewer
	for _, v := range all {
		at := len(out)
		out = be.AppendUint32(out, 0xffffffff) // null, unless it is written
		if with := element(out, v); with != nil {
			out = with
			be.PutUint32(out[at:], uint32(len(out)-at-4)) //nolint:gosec // a value has its bound
		}
	}
	return out
}
