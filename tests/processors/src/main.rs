//! Prints a hash of each job: two processors that print the same lines work alike.

fn main() {
    println!("# levels: {}", refrast_processors::levels().join(" "));
    for (name, job) in refrast_processors::jobs() {
        println!("{:016x} {name}", job());
    }
}
