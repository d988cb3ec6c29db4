export default function Settlement() { return <p/>; }
