export default function Home() { return <p/>; }
