package postgreskv

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// rows streams the rows of a statement.
type rows struct {
	reader *pgconn.ResultReader
	conn   *conn
}

// each scans row by row into the same destinations and calls do after each.
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
	return r.conn.checkStale(err)
}

// scan decodes the row's columns. A pointer destination is set to nil for null.
func (r *rows) scan(into ...any) error {
	values := r.reader.Values()
	if len(values) != len(into) {
		return fmt.Errorf("%d columns for %d destinations", len(values), len(into))
	}
	for i, dest := range into {
		if err := decode(values[i], dest); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func decode(v []byte, dest any) (err error) {
	switch dest := dest.(type) {
	case *[]byte:
		if *dest = nil; v != nil {
			*dest = append([]byte{}, v...)
		}
		return nil
	case **string:
		if *dest = nil; v != nil {
			s := string(v)
			*dest = &s
		}
		return nil
	case **int64:
		if *dest = nil; v != nil {
			n, err := number(v)
			*dest = &n
			return err
		}
		return nil
	}
	if v == nil {
		return fmt.Errorf("null for %T", dest)
	}
	var n int64
	switch dest := dest.(type) {
	case *string:
		*dest = string(v)
	case *bool:
		*dest = len(v) == 1 && v[0] == 1
	case *int:
		n, err = number(v)
		*dest = int(n)
	case *version:
		n, err = number(v)
		*dest = version(n)
	default:
		err = fmt.Errorf("unsupported destination type %T", dest)
	}
	return err
}

// number decodes an integer or a bigint.
func number(v []byte) (int64, error) {
	switch len(v) {
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v))), nil //nolint:gosec // two's complement, as it was sent
	case 8:
		return int64(binary.BigEndian.Uint64(v)), nil //nolint:gosec // two's complement, as it was sent
	}
	return 0, fmt.Errorf("number of %d bytes", len(v))
}

// OIDs of array element types.
const (
	byteaOID = 17
	int8OID  = 20
	textOID  = 25
)

// encode encodes a statement's parameters: numbers as text, which fits every integer
// width, everything else as binary.
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
			return nil, nil, fmt.Errorf("unsupported parameter type %T", a)
		}
		values, formats = append(values, v), append(formats, format)
	}
	return values, formats, nil
}

// array encodes a one-dimensional array; an element is null if element returns nil.
func array[T any](oid uint32, all []T, element func(to []byte, v T) []byte) []byte {
	be := binary.BigEndian
	if len(all) == 0 {
		return be.AppendUint32(be.AppendUint32(be.AppendUint32(nil, 0), 0), oid)
	}
	out := be.AppendUint32(be.AppendUint32(nil, 1), 1) // one dimension, with nulls allowed
	out = be.AppendUint32(out, oid)
	out = be.AppendUint32(be.AppendUint32(out, uint32(len(all))), 1) //nolint:gosec // far fewer
	for _, v := range all {
		at := len(out)
		out = be.AppendUint32(out, 0xffffffff) // null, unless overwritten below
		if with := element(out, v); with != nil {
			out = with
			be.PutUint32(out[at:], uint32(len(out)-at-4)) //nolint:gosec // a value has its bound
		}
	}
	return out
}
