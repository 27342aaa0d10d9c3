//! How late posts are found: `auto` beside a fixed interval, Miniflux's `entry_frequency`, and the best that anybody could
//! do who knew every page's true rate; all with the same number of requests.
//!
//!     cargo bench --bench schedule                      1,000 pages, five seeds, 24 requests a page and day
//!     cargo bench --bench schedule -- --plot FILE.svg   the same at other budgets too, drawn
//!
//! `--pages N`, `--seeds N` and `--first-seed N` make it smaller or other. The delays are those from the true time of
//! each post to the request that found it, over all posts of 30 days, after 60 days of learning.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a simulation"
)]
#![allow(missing_docs, unreachable_pub, reason = "a program of its own")]

mod optimum;
mod plot;
mod policy;
mod world;

use optimum::Optimum;
use world::{Score, Source, world};

/// Requests a page and day.
const BUDGET: f64 = 24.0;
/// Others for the drawing.
const BUDGETS: [f64; 5] = [6.0, 12.0, 24.0, 48.0, 96.0];
/// Seeds on which nothing was tuned.
const FIRST_SEED: u64 = 20_261_130;

type Run<'r> = Box<dyn Fn(&[Source], f64) -> Score + 'r>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| arguments.iter().skip_while(|a| *a != name).nth(1);
    let number = |name: &str, usual: u64| given(name).map_or(usual, |n| n.parse().expect("a number"));
    let (pages, first) = (number("--pages", 1_000) as usize, number("--first-seed", FIRST_SEED));
    let seeds: Vec<u64> = (first..first + number("--seeds", 5)).collect();
    let optimum = Optimum::new();
    let policies: [(&str, &str, Run<'_>); 4] = [
        ("fixed", "#666", Box::new(policy::fixed)),
        ("entry_frequency", "#b50", Box::new(policy::entry_frequency)),
        ("auto", "#06c", Box::new(policy::auto)),
        ("clairvoyant", "#393", Box::new(|sources, requests| policy::clairvoyant(sources, &optimum, requests))),
    ];
    println!("{pages} pages, {BUDGET} requests a page and day; minutes from post to request\n");
    println!(
        "| seed | policy | mean | 95th percentile | requests | mean / fixed | / entry_frequency | / clairvoyant |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut sums = [[0.0; 3]; 4];
    for seed in &seeds {
        let sources = world(pages, *seed);
        let scores = policies.each_ref().map(|(.., run)| run(&sources, BUDGET));
        for (n, (score, (name, ..))) in scores.iter().zip(&policies).enumerate() {
            let ratios = [0, 1, 3].map(|other: usize| score.mean / scores[other].mean);
            println!(
                "| {seed} | {name} | {:.1} | {:.1} | {:.2} | {:.3} | {:.3} | {:.3} |",
                score.mean, score.late, score.requests, ratios[0], ratios[1], ratios[2]
            );
            ratios.iter().zip(&mut sums[n]).for_each(|(ratio, sum)| *sum += ratio / seeds.len() as f64);
        }
    }
    println!();
    for (sums, (name, ..)) in sums.iter().zip(&policies) {
        println!(
            "{name}: {:.3} of fixed, {:.3} of entry_frequency, {:.3} of the clairvoyant",
            sums[0], sums[1], sums[2]
        );
    }
    let Some(file) = given("--plot") else { return };
    let sources = world(pages, first);
    let lines: Vec<(&str, &str, Vec<Score>)> = policies
        .iter()
        .map(|(name, colour, run)| (*name, *colour, BUDGETS.map(|budget| run(&sources, budget)).to_vec()))
        .collect();
    println!("\nrequests a page and day: minutes in the mean, seed {first}");
    for (name, _, scores) in &lines {
        let scores: Vec<String> = scores.iter().map(|s| format!("{:.1}: {:.1}", s.requests, s.mean)).collect();
        println!("{name}: {}", scores.join(", "));
    }
    std::fs::write(file, plot::draw(&lines)).expect("the file can be written");
}
