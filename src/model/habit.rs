//! When a page posts, as far as it has shown: what `auto` polls by.
//!
//! In: posts as they are seen, by `schedule`. Out: counts that fade with time, and their stored form.

use super::time::Stamp;

/// The hours of a week.
pub const WEEK_HOURS: usize = 168;

/// Counts of a page's posts that fade with time.
#[derive(Debug, Clone, PartialEq)]
pub struct Habit {
    /// Posts by the hour of the week in UTC, from Thursday 00:00 on, as the epoch began.
    pub week: [f32; WEEK_HOURS],
    /// As of when these are.
    pub week_at: Stamp,
    /// Posts of the last month or so.
    pub slow: Count,
    /// Posts of the last days.
    pub fast: Count,
    /// Until when the page was looked at; none before the first reading.
    pub at: Option<Stamp>,
}

/// Posts over a time, both fading.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Count {
    /// Posts.
    pub posts: f32,
    /// Days over which they came.
    pub days: f32,
}

impl Default for Habit {
    fn default() -> Self {
        let (slow, fast) = (Count::default(), Count::default());
        Self { week: [0.0; WEEK_HOURS], week_at: Stamp(0), slow, fast, at: None }
    }
}

/// Bytes before the hours.
const HEAD: usize = 32;
/// Steps of the square root of an hour's count: one in four hundred at one post.
const STEPS: f32 = 512.0;

impl Habit {
    /// The stored form: times, counts, then three bytes for each hour in which something came. None for one that knows
    /// nothing.
    pub fn pack(&self) -> Option<Vec<u8>> {
        let at = self.at?;
        let mut out = Vec::with_capacity(HEAD + 3 * 24);
        out.extend(at.0.to_le_bytes());
        out.extend(self.week_at.0.to_le_bytes());
        for count in [self.slow, self.fast] {
            out.extend(count.posts.to_le_bytes());
            out.extend(count.days.to_le_bytes());
        }
        for (hour, posts) in self.week.iter().enumerate().filter(|(_, posts)| **posts > 0.0) {
            let root = (posts.sqrt() * STEPS).round().min(f32::from(u16::MAX));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is a whole number in range"
            )]
            let (hour, root) = (hour as u8, root as u16);
            if root > 0 {
                out.push(hour);
                out.extend(root.to_le_bytes());
            }
        }
        Some(out)
    }

    /// One that was packed; anything else is one that knows nothing.
    pub fn unpack(bytes: &[u8]) -> Self {
        let Some((head, hours)) = bytes.split_at_checked(HEAD) else { return Self::default() };
        let time = |at: usize| {
            let mut raw = [0; 8];
            raw.copy_from_slice(&head[at..at + 8]);
            Stamp(i64::from_le_bytes(raw))
        };
        let number = |at: usize| {
            let mut raw = [0; 4];
            raw.copy_from_slice(&head[at..at + 4]);
            Some(f32::from_le_bytes(raw)).filter(|n| n.is_finite() && *n >= 0.0).unwrap_or_default()
        };
        let count = |at: usize| Count { posts: number(at), days: number(at + 4) };
        let mut habit =
            Self { at: Some(time(0)), week_at: time(8), slow: count(16), fast: count(24), ..Self::default() };
        for cell in hours.chunks_exact(3) {
            if let Some(posts) = habit.week.get_mut(usize::from(cell[0])) {
                *posts = (f32::from(u16::from_le_bytes([cell[1], cell[2]])) / STEPS).powi(2);
            }
        }
        habit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_habit_comes_back_and_no_bytes_make_one_that_panics() {
        let mut habit = Habit { at: Some(Stamp(1_790_244_000)), week_at: Stamp(1_790_000_000), ..Habit::default() };
        habit.slow = Count { posts: 12.5, days: 30.25 };
        habit.fast = Count { posts: 1.5, days: 4.0 };
        for (hour, posts) in [(0, 1.0), (7, 0.04), (167, 900.0)] {
            habit.week[hour] = posts;
        }
        let packed = habit.pack().unwrap();
        assert_eq!(packed.len(), HEAD + 9);
        let back = Habit::unpack(&packed);
        assert_eq!((back.slow, back.fast, back.at, back.week_at), (habit.slow, habit.fast, habit.at, habit.week_at));
        for (a, b) in back.week.iter().zip(habit.week) {
            assert!((a - b).abs() <= b * 0.02, "{a} {b}");
        }
        assert_eq!(Habit::default().pack(), None);
        for junk in [&b""[..], b"x", &[0xff; 31], &[0xff; 100], &packed[..HEAD + 2]] {
            let habit = Habit::unpack(junk);
            assert!(habit.slow.posts.is_finite() && habit.week.iter().all(|p| p.is_finite()));
        }
    }
}
